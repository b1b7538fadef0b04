DROP TABLE access_tokens;
DROP TABLE refresh_tokens;
DROP TABLE authorization_codes;
DROP TABLE connections;
DROP TABLE clients;
