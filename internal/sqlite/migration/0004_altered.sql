-- How many transactions have changed rows that were there before: connections keep the memories, vectors and relations
-- that they have read until it grows. Saves only add rows and do not count.
ALTER TABLE index_state ADD COLUMN altered INTEGER NOT NULL DEFAULT 0;
