DROP TABLE review_responses;
DROP TABLE assignments;
DROP TABLE seats;
DROP TABLE review_nodes;
DROP TABLE review_processes;
