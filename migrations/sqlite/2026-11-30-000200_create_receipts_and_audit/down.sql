DROP TABLE audit;
DROP TABLE receipts;
