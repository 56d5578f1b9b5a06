-- What is new stands at the right edge of an index, where SQLite fills pages without moving the rows of others: at the
-- left edge it shifted rows between three pages at every third insert and left them half empty. Read backwards, an
-- index gives the newest first, by number where times are the same.
DROP INDEX memories_recent;
DROP INDEX memories_project_recent;
DROP INDEX memories_forgotten;
DROP INDEX memories_lasting;
DROP INDEX memories_beyond;
DROP INDEX sessions_project_active;
DROP INDEX sessions_active;
DROP INDEX prompts_recent;
DROP INDEX prompts_project_recent;
CREATE INDEX memories_recent ON memories (created_at) WHERE deleted_at IS NULL;
CREATE INDEX memories_project_recent ON memories (project, created_at) WHERE deleted_at IS NULL;
CREATE INDEX memories_forgotten ON memories (deleted_at) WHERE deleted_at IS NOT NULL;
-- What every session should know, however old it is; the same condition stands in lastingSQL.
CREATE INDEX memories_lasting ON memories (project, permanent, importance)
	WHERE deleted_at IS NULL AND (permanent <> 0 OR importance >= 0.7 OR type IN ('preference', 'policy'));
-- And of that what is of no single project: few rows, which must not be looked for among all; see beyondSQL.
CREATE INDEX memories_beyond ON memories (scope, permanent, importance)
	WHERE deleted_at IS NULL AND scope <> 'project' AND (permanent <> 0 OR importance >= 0.7 OR type IN ('preference', 'policy'));
CREATE INDEX sessions_project_active ON sessions (project, active_at);
CREATE INDEX sessions_active ON sessions (active_at);
-- deleted_at is NULL in both: with it the index answers a count alone.
CREATE INDEX prompts_recent ON prompts (created_at, num, deleted_at) WHERE deleted_at IS NULL;
CREATE INDEX prompts_project_recent ON prompts (project, created_at, num, deleted_at) WHERE deleted_at IS NULL;
