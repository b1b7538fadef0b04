DROP TABLE connection_addresses;
