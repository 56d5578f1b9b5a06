-- How often rows that were there before have been changed: connections keep memories and vectors that they have read
-- until it counts on, and saves, which only add rows, do not count.
ALTER TABLE index_state ADD COLUMN altered INTEGER NOT NULL DEFAULT 0;
