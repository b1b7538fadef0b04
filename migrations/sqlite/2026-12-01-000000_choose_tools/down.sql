ALTER TABLE connections DROP COLUMN tools;
