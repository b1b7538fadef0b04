DROP TABLE server_secrets;
DROP TABLE one_time_links;
DROP TABLE sessions;
DROP TABLE user_grants;
DROP TABLE users;
