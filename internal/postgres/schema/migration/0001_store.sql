-- The whole first schema. Conventions: the space is the first column of every key, so that one space stands
-- together and all can be spread over machines by it; times are milliseconds since 1970, UTC, and NULL for
-- "never"; numbers come out of heads; projects and sessions are referred to by number, and row 0 of each is
-- "none". What is named by a number or by a text has both columns, of which one is 0 or ''. There are no
-- sequences, triggers, functions or extensions. Texts are ordered by their bytes. JSON is text: nothing but
-- metadata is asked of it here.

-- Where the numbers of a space stand. Its row is the lock that orders the writes of the space.
CREATE TABLE heads (
	space         uuid PRIMARY KEY,
	device        text COLLATE "C" NOT NULL,          -- which store wrote a journal entry
	version       bigint NOT NULL,        -- how many transactions wrote
	clock         bigint NOT NULL,        -- the greatest from other stores
	last_at       bigint NOT NULL,        -- clock of the newest journal entry
	memory        bigint NOT NULL,        -- the last number given to each
	relation      bigint NOT NULL,
	prompt        bigint NOT NULL,
	project       bigint NOT NULL,
	session       bigint NOT NULL,
	seq           bigint NOT NULL,
	deferred      bigint NOT NULL,
	other         bigint NOT NULL,        -- uses, carriers, models, segments, kinds
	changes       bigint NOT NULL,        -- of segments and kinds of memories
	unsealed      bigint NOT NULL,        -- how many rows of unsealed
	unsealed_last bigint NOT NULL,        -- and the last number
	prompt_changes       bigint NOT NULL, -- the same of prompts
	prompt_unsealed      bigint NOT NULL,
	prompt_unsealed_last bigint NOT NULL
) WITH (fillfactor = 50);                 -- so that a new version of the row stays on its page

CREATE TABLE facts (
	space uuid,
	key   text COLLATE "C",
	value text COLLATE "C" NOT NULL,
	PRIMARY KEY (space, key)
);

CREATE TABLE projects (
	space      uuid,
	num        bigint,
	name       text COLLATE "C" NOT NULL,
	root       text COLLATE "C" NOT NULL DEFAULT '',
	remote     text COLLATE "C" NOT NULL DEFAULT '',
	decay      text COLLATE "C",            -- JSON; the project's own fading, NULL for the default
	created_at bigint NOT NULL,
	PRIMARY KEY (space, num)
);
CREATE UNIQUE INDEX projects_name ON projects (space, name);
CREATE INDEX projects_decay ON projects (space, num) WHERE decay IS NOT NULL;

-- Names that were merged into a project.
CREATE TABLE project_aliases (
	space   uuid,
	alias   text COLLATE "C",
	project bigint NOT NULL,
	PRIMARY KEY (space, alias)
);
CREATE INDEX project_aliases_project ON project_aliases (space, project);

CREATE TABLE sessions (
	space      uuid,
	num        bigint,
	id         text COLLATE "C" NOT NULL,
	project    bigint NOT NULL,
	directory  text COLLATE "C" NOT NULL DEFAULT '',
	started_at bigint NOT NULL,
	ended_at   bigint,
	summary    text COLLATE "C" NOT NULL DEFAULT '',
	active_at  bigint NOT NULL,
	live       bigint NOT NULL DEFAULT 0, -- live memories saved in it
	PRIMARY KEY (space, num)
) WITH (fillfactor = 80);
CREATE UNIQUE INDEX sessions_id ON sessions (space, id);
CREATE INDEX sessions_project_active ON sessions (space, project, active_at DESC, num DESC);
CREATE INDEX sessions_active ON sessions (space, active_at DESC, num DESC);

CREATE TABLE memories (
	space            uuid,
	num              bigint,
	id               text COLLATE "C" NOT NULL,
	sync_id          text COLLATE "C" NOT NULL,
	project          bigint NOT NULL,
	session          bigint NOT NULL,
	scope            text COLLATE "C" NOT NULL,
	type             text COLLATE "C" NOT NULL,
	origin           text COLLATE "C" NOT NULL,
	title            text COLLATE "C" NOT NULL,
	topic_key        text COLLATE "C",
	tool_name        text COLLATE "C",
	metadata         text COLLATE "C",      -- JSON object
	anchors          text COLLATE "C",      -- JSON array; NULL for most
	importance       float8 NOT NULL,
	strength         float8 NOT NULL,
	touched_at       bigint NOT NULL,
	permanent        boolean NOT NULL,
	access_count     bigint NOT NULL,
	last_accessed_at bigint,
	created_at       bigint NOT NULL,
	updated_at       bigint NOT NULL,
	review_after     bigint,
	valid_from       bigint,
	valid_to         bigint,
	revision_count   bigint NOT NULL,
	duplicate_count  bigint NOT NULL,
	last_seen_at     bigint,
	deleted_at       bigint,
	hash             bytea NOT NULL, -- SHA-256
	hash_head        bigint NOT NULL, -- its first bytes
	title_head       bigint NOT NULL, -- the same of the hash of title
	summary          text COLLATE "C",
	content          text COLLATE "C" NOT NULL,
	PRIMARY KEY (space, num)
);
CREATE UNIQUE INDEX memories_id ON memories (space, id);
CREATE UNIQUE INDEX memories_sync ON memories (space, sync_id);
CREATE UNIQUE INDEX memories_topic ON memories (space, topic_key, project, scope) WHERE topic_key IS NOT NULL AND deleted_at IS NULL;
CREATE INDEX memories_recent ON memories (space, created_at DESC, num DESC) WHERE deleted_at IS NULL;
CREATE INDEX memories_project_recent ON memories (space, project, created_at DESC, num DESC) WHERE deleted_at IS NULL;
CREATE INDEX memories_forgotten ON memories (space, deleted_at DESC, num DESC) WHERE deleted_at IS NOT NULL;
CREATE INDEX memories_session ON memories (space, session, num) WHERE deleted_at IS NULL;
CREATE INDEX memories_session_forgotten ON memories (space, session) WHERE deleted_at IS NOT NULL;
CREATE INDEX memories_review ON memories (space, review_after) WHERE review_after IS NOT NULL AND deleted_at IS NULL;
-- What every session should know, however old it is; the same condition stands in list.go.
CREATE INDEX memories_lasting ON memories (space, project, permanent DESC, importance DESC, num DESC)
	WHERE deleted_at IS NULL AND (permanent OR importance >= 0.7 OR type IN ('preference', 'policy'));
-- What is of no single project: few rows, which must not be looked for among all.
CREATE INDEX memories_beyond ON memories (space, scope, created_at DESC, num DESC) WHERE deleted_at IS NULL AND scope <> 'project';
-- Eight bytes of a hash find the candidates; the whole hash or title decides. They are columns, since row-level
-- security keeps most expressions, such as substr, from being looked up in an index.
CREATE INDEX memories_hash ON memories (space, hash_head);
CREATE INDEX memories_title ON memories (space, title_head) WHERE deleted_at IS NULL;

-- How many live memories each project has of each type.
CREATE TABLE tallies (
	space   uuid,
	project bigint,
	type    text COLLATE "C",
	live    bigint NOT NULL,
	PRIMARY KEY (space, project, type)
) WITH (fillfactor = 80);

CREATE TABLE tags (
	space  uuid,
	memory bigint,
	tag    text COLLATE "C",
	PRIMARY KEY (space, memory, tag),
	FOREIGN KEY (space, memory) REFERENCES memories (space, num) ON DELETE CASCADE
);
CREATE INDEX tags_tag ON tags (space, tag, memory);

CREATE TABLE revisions (
	space       uuid,
	memory      bigint,
	number      bigint,
	type        text COLLATE "C" NOT NULL,
	title       text COLLATE "C" NOT NULL,
	written_at  bigint NOT NULL,
	replaced_at bigint NOT NULL,
	reason      text COLLATE "C" NOT NULL,
	stamp       text COLLATE "C",           -- the write that the text comes from (lineage.go); NULL: not known
	content     text COLLATE "C" NOT NULL,
	PRIMARY KEY (space, memory, number),
	FOREIGN KEY (space, memory) REFERENCES memories (space, num) ON DELETE CASCADE
);

CREATE TABLE relations (
	space      uuid,
	num        bigint,
	id         text COLLATE "C" NOT NULL,
	source     bigint NOT NULL,
	target     bigint NOT NULL,
	verb       text COLLATE "C" NOT NULL,
	status     text COLLATE "C" NOT NULL,
	strength   float8 NOT NULL,
	reason     text COLLATE "C" NOT NULL DEFAULT '',
	evidence   text COLLATE "C" NOT NULL DEFAULT '',
	confidence float8 NOT NULL DEFAULT 0,
	actor      text COLLATE "C" NOT NULL DEFAULT '',
	actor_kind text COLLATE "C" NOT NULL DEFAULT '',
	model      text COLLATE "C" NOT NULL DEFAULT '',
	session_id text COLLATE "C" NOT NULL DEFAULT '',
	created_at bigint NOT NULL,
	updated_at bigint NOT NULL,
	removed_at bigint,          -- taken away; the row stays, for the journal
	PRIMARY KEY (space, num)
); -- Both ends exist, which the store sees to: a foreign key would lock both rows, and write their pages anew.
CREATE UNIQUE INDEX relations_id ON relations (space, id);
CREATE UNIQUE INDEX relations_live ON relations (space, source, target, verb) WHERE removed_at IS NULL;
-- By verb: of a memory with a hundred thousand relations, what supersedes it is found at once.
CREATE INDEX relations_source ON relations (space, source, verb, num DESC);
CREATE INDEX relations_target ON relations (space, target, verb, num DESC);
-- Verdicts and what waits for one: a few among the ties that every save makes.
CREATE INDEX relations_judgments ON relations (space, num DESC) WHERE removed_at IS NULL
	AND (verb IN ('contradicts', 'supersedes', 'compatible', 'scoped', 'not_conflict') OR verb = 'relates_to' AND confidence > 0);

CREATE TABLE prompts (
	space      uuid,
	num        bigint,
	sync_id    text COLLATE "C" NOT NULL,
	project    bigint NOT NULL,
	session    bigint NOT NULL,
	created_at bigint NOT NULL,
	deleted_at bigint,
	content    text COLLATE "C" NOT NULL,
	PRIMARY KEY (space, num)
);
CREATE UNIQUE INDEX prompts_sync ON prompts (space, sync_id);
CREATE INDEX prompts_recent ON prompts (space, created_at DESC, num DESC) WHERE deleted_at IS NULL;
CREATE INDEX prompts_project_recent ON prompts (space, project, created_at DESC, num DESC) WHERE deleted_at IS NULL;
CREATE INDEX prompts_project ON prompts (space, project) WHERE deleted_at IS NOT NULL;
CREATE INDEX prompts_session ON prompts (space, session, num);

-- The paths that memories are anchored to, kept in step with memories.anchors. What was seen of them is of one
-- machine: no change, and not shared.
CREATE TABLE anchors (
	space  uuid,
	path   text COLLATE "C",
	memory bigint,
	seen   text COLLATE "C",            -- changed or gone, when somebody last looked; NULL for nothing of note
	PRIMARY KEY (space, path, memory),
	FOREIGN KEY (space, memory) REFERENCES memories (space, num) ON DELETE CASCADE
);
CREATE INDEX anchors_memory ON anchors (space, memory);
CREATE INDEX anchors_seen ON anchors (space, memory) WHERE seen IS NOT NULL;

-- What is known of whether a memory may be told unasked (engram.Trust). It is of this space alone.
CREATE TABLE trust (
	space   uuid,
	memory  bigint,
	mark    text COLLATE "C",               -- suspect, approved, secret, snoozed
	text    text COLLATE "C",               -- digest of the text that it is about; '': the memory
	reasons text COLLATE "C" NOT NULL,      -- codes, separated by blanks
	at      bigint NOT NULL,
	PRIMARY KEY (space, memory, mark, text),
	FOREIGN KEY (space, memory) REFERENCES memories (space, num) ON DELETE CASCADE
);
CREATE INDEX trust_mark ON trust (space, mark, at, memory);

-- The journal: what each verb did. See docs/adr/0003-journal.md.
CREATE TABLE mutations (
	space   uuid,
	seq     bigint,
	op      bigint NOT NULL,
	at      bigint NOT NULL,    -- hybrid logical clock
	device  text COLLATE "C",               -- NULL: this store
	actor   text COLLATE "C" NOT NULL,
	verb    text COLLATE "C" NOT NULL,
	entity  text COLLATE "C" NOT NULL,
	num     bigint NOT NULL,    -- of the thing, where it has a number,
	key     text COLLATE "C" NOT NULL,      -- else its name
	project bigint NOT NULL,
	reason  text COLLATE "C",
	was     text COLLATE "C",               -- JSON
	undoes  bigint,             -- the op that this entry's op takes back
	PRIMARY KEY (space, seq)
);
CREATE INDEX mutations_undoes ON mutations (space, undoes) WHERE undoes IS NOT NULL;
CREATE INDEX mutations_key ON mutations (space, num, key, entity);
-- Few, and every erase looks through them.
CREATE INDEX mutations_project ON mutations (space, seq) WHERE entity = 'project';

-- What was shown to whom, at what cost.
CREATE TABLE uses (
	space    uuid,
	num      bigint,
	at       bigint NOT NULL,
	session  bigint NOT NULL,
	project  bigint NOT NULL,
	verb     text COLLATE "C" NOT NULL,     -- search, recall, context, get
	query    text COLLATE "C",
	memory   bigint,            -- NULL: nothing was found
	rank     bigint,
	tokens   bigint NOT NULL,
	fallback boolean NOT NULL DEFAULT false, -- a channel could not answer, or nothing was asked
	PRIMARY KEY (space, num)
);
CREATE INDEX uses_session ON uses (space, session, memory);
CREATE INDEX uses_memory ON uses (space, memory);
CREATE INDEX uses_asked ON uses (space, memory, at) WHERE verb NOT IN ('context', 'remind');

-- How often each verb came to which outcome: numbers alone, by day for ever.
CREATE TABLE counters (
	space     uuid,
	day       bigint,           -- since 1970, UTC
	project   bigint,           -- 0: every one at once, or one that is gone
	verb      text COLLATE "C",
	outcome   text COLLATE "C",
	events    bigint NOT NULL,
	fallbacks bigint NOT NULL,
	memories  bigint NOT NULL,
	tokens    bigint NOT NULL,
	PRIMARY KEY (space, day, project, verb, outcome)
) WITH (fillfactor = 80);

-- What was erased: a replica that still has it must not bring it back. Of one thing there is a row for each
-- project that has heard of it.
CREATE TABLE tombstones (
	space   uuid,
	entity  text COLLATE "C",
	name    text COLLATE "C",               -- sync id of a memory or a prompt, id of a session
	project text COLLATE "C",               -- where it was, which need not be here; '': not known
	id      text COLLATE "C" NOT NULL,      -- of a memory; name where that is not known, and of others
	at      bigint NOT NULL,    -- hybrid logical clock
	bound   boolean NOT NULL,   -- it came from there, and counts for that project alone
	PRIMARY KEY (space, entity, name, project)
);
CREATE INDEX tombstones_project ON tombstones (space, project);

-- Which write each part of a thing comes from: what replicas are brought together by.
CREATE TABLE lineages (
	space      uuid,
	entity     smallint,        -- lineage.go
	num        bigint,          -- of the thing, where it has a number,
	key        text COLLATE "C",            -- else its name
	at         bigint NOT NULL, -- the write that made it: hybrid logical clock,
	device     text COLLATE "C",            -- and store; NULL: this one
	digest     bigint NOT NULL, -- engram.CausalMetadata.Digest, by which carried is looked up
	more       text COLLATE "C",            -- JSON: parts, sets and counts; NULL: none
	held       text COLLATE "C",            -- JSON: what was written and is not shown; NULL: nothing
	held_topic text COLLATE "C",            -- of held, its topic key
	held_live  boolean NOT NULL DEFAULT false, -- of held: it was not forgotten
	moved      boolean NOT NULL DEFAULT false, -- of more: its project or scope was written
	project    bigint,          -- of a session that has no row any more
	PRIMARY KEY (space, entity, num, key)
);
CREATE INDEX lineages_held ON lineages (space, entity, num, key) WHERE held IS NOT NULL;
CREATE INDEX lineages_topics ON lineages (space, entity, held_topic) WHERE held_topic IS NOT NULL;
CREATE INDEX lineages_moved ON lineages (space, entity, num) WHERE moved;

-- Sets of batches, each once: JSON array of ids, sorted.
CREATE TABLE carriers (
	space   uuid,
	num     bigint,
	batches text COLLATE "C" NOT NULL,
	PRIMARY KEY (space, num)
);
CREATE UNIQUE INDEX carriers_batches ON carriers (space, md5(batches)); -- they may be longer than an index takes
-- Which states of things can be found in which sets of batches.
CREATE TABLE carried (
	space   uuid,
	entity  smallint,
	num     bigint,
	key     text COLLATE "C",
	digest  bigint,
	carrier bigint,
	project bigint,             -- the thing was in then
	PRIMARY KEY (space, entity, num, key, digest, carrier)
);
-- Batches that were read to their end here, or written here.
CREATE TABLE pulled (
	space   uuid,
	batch   text COLLATE "C",
	project text COLLATE "C",               -- for which it was read, which need not be here; '': for every one
	at      bigint NOT NULL,
	PRIMARY KEY (space, batch, project)
);
-- Records that came from a remote and wait.
CREATE TABLE deferred (
	space    uuid,
	num      bigint,            -- a person names them by it
	entity   text COLLATE "C" NOT NULL,
	id       text COLLATE "C" NOT NULL,
	batch    text COLLATE "C" NOT NULL,
	project  text COLLATE "C" NOT NULL,     -- its name: it may not exist yet
	sent_by  text COLLATE "C" NOT NULL,
	why      text COLLATE "C" NOT NULL,
	reason   text COLLATE "C" NOT NULL,
	tries    bigint NOT NULL,
	first_at bigint NOT NULL,
	last_at  bigint NOT NULL,
	record   text COLLATE "C" NOT NULL,     -- JSON
	PRIMARY KEY (space, num)
);
CREATE UNIQUE INDEX deferred_record ON deferred (space, entity, id, batch, project);

-- The index of words and codes (docs/adr/0004-search-schema.md), in the codecs of internal/postings: collection 0
-- is memories, 1 prompts. Blocks are packed already, and fit
-- a page of Postgres: PLAIN keeps them in their rows. Pages of codes are larger.
CREATE TABLE unsealed (
	space      uuid,
	collection smallint,
	seq        bigint,
	memory     bigint NOT NULL,
	document   bytea NOT NULL,
	words      bytea NOT NULL,
	PRIMARY KEY (space, collection, seq)
);
CREATE INDEX unsealed_memory ON unsealed (space, collection, memory);
CREATE TABLE segments (
	space      uuid,
	num        bigint,
	collection smallint NOT NULL,
	level      smallint NOT NULL,
	project    bigint,
	version    bigint NOT NULL,
	slots      bigint NOT NULL,
	live       bigint NOT NULL,
	tokens     bigint NOT NULL,
	firsts     bytea NOT NULL,
	PRIMARY KEY (space, num)
);
CREATE INDEX segments_collection ON segments (space, collection, num);
-- Blocks and pages fill most of a page of the database and are packed already: they stay in the row where they fit.
CREATE TABLE postings (
	space   uuid,
	segment bigint,
	block   bigint,
	words   bytea NOT NULL,
	PRIMARY KEY (space, segment, block)
);
ALTER TABLE postings ALTER words SET STORAGE EXTERNAL, SET (toast_tuple_target = 8160);
CREATE TABLE documents (
	space   uuid,
	segment bigint,
	page    bigint,
	rows    bytea NOT NULL,
	PRIMARY KEY (space, segment, page)
);
ALTER TABLE documents ALTER rows SET STORAGE EXTERNAL, SET (toast_tuple_target = 8160);
CREATE TABLE lengths (
	space   uuid,
	segment bigint,
	page    bigint,
	rows    bytea NOT NULL,
	PRIMARY KEY (space, segment, page)
);
ALTER TABLE lengths ALTER rows SET STORAGE EXTERNAL, SET (toast_tuple_target = 8160);
CREATE TABLE kinds (
	space uuid,
	num   bigint,
	type  text COLLATE "C" NOT NULL,
	scope text COLLATE "C" NOT NULL,
	PRIMARY KEY (space, num)
);
CREATE UNIQUE INDEX kinds_names ON kinds (space, type, scope);
CREATE TABLE models (
	space       uuid,
	num         bigint,
	name        text COLLATE "C" NOT NULL,
	fingerprint text COLLATE "C" NOT NULL,
	dimensions  bigint NOT NULL,
	memories    bigint NOT NULL DEFAULT 0, -- live memories that have a vector of it
	changes     bigint NOT NULL DEFAULT 0, -- how often codes of it were written
	PRIMARY KEY (space, num)
) WITH (fillfactor = 50);
CREATE UNIQUE INDEX models_fingerprint ON models (space, fingerprint);
CREATE TABLE vectors (
	space  uuid,
	model  bigint,
	memory bigint,
	row    bytea NOT NULL,
	PRIMARY KEY (space, model, memory)
);
ALTER TABLE vectors ALTER row SET STORAGE MAIN;
CREATE TABLE codes (
	space   uuid,
	model   bigint,
	segment bigint,
	page    bigint,
	signs   bytea NOT NULL,
	sizes   bytea NOT NULL,
	PRIMARY KEY (space, segment, model, page)
);
ALTER TABLE codes ALTER signs SET STORAGE EXTERNAL, ALTER sizes SET STORAGE EXTERNAL;
CREATE TABLE coded (
	space   uuid,
	model   bigint,
	segment bigint,
	version bigint NOT NULL,
	PRIMARY KEY (space, segment, model)
);
CREATE INDEX coded_model ON coded (space, model);

-- The second wall between spaces, behind the space that each statement names. FORCE: the owner of the tables is
-- behind it too.
ALTER TABLE heads ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY;
ALTER TABLE facts ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY;
ALTER TABLE projects ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY;
ALTER TABLE project_aliases ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY;
ALTER TABLE sessions ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY;
ALTER TABLE memories ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY;
ALTER TABLE tallies ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY;
ALTER TABLE tags ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY;
ALTER TABLE revisions ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY;
ALTER TABLE relations ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY;
ALTER TABLE prompts ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY;
ALTER TABLE anchors ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY;
ALTER TABLE trust ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY;
ALTER TABLE mutations ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY;
ALTER TABLE uses ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY;
ALTER TABLE counters ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY;
ALTER TABLE tombstones ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY;
ALTER TABLE lineages ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY;
ALTER TABLE carriers ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY;
ALTER TABLE carried ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY;
ALTER TABLE pulled ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY;
ALTER TABLE deferred ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY;
ALTER TABLE unsealed ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY;
ALTER TABLE segments ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY;
ALTER TABLE postings ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY;
ALTER TABLE documents ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY;
ALTER TABLE lengths ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY;
ALTER TABLE kinds ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY;
ALTER TABLE models ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY;
ALTER TABLE vectors ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY;
ALTER TABLE codes ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY;
ALTER TABLE coded ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY;
CREATE POLICY own ON heads USING (space = nullif(current_setting('engram.space', true), '')::uuid);
CREATE POLICY own ON facts USING (space = nullif(current_setting('engram.space', true), '')::uuid);
CREATE POLICY own ON projects USING (space = nullif(current_setting('engram.space', true), '')::uuid);
CREATE POLICY own ON project_aliases USING (space = nullif(current_setting('engram.space', true), '')::uuid);
CREATE POLICY own ON sessions USING (space = nullif(current_setting('engram.space', true), '')::uuid);
CREATE POLICY own ON memories USING (space = nullif(current_setting('engram.space', true), '')::uuid);
CREATE POLICY own ON tallies USING (space = nullif(current_setting('engram.space', true), '')::uuid);
CREATE POLICY own ON tags USING (space = nullif(current_setting('engram.space', true), '')::uuid);
CREATE POLICY own ON revisions USING (space = nullif(current_setting('engram.space', true), '')::uuid);
CREATE POLICY own ON relations USING (space = nullif(current_setting('engram.space', true), '')::uuid);
CREATE POLICY own ON prompts USING (space = nullif(current_setting('engram.space', true), '')::uuid);
CREATE POLICY own ON anchors USING (space = nullif(current_setting('engram.space', true), '')::uuid);
CREATE POLICY own ON trust USING (space = nullif(current_setting('engram.space', true), '')::uuid);
CREATE POLICY own ON mutations USING (space = nullif(current_setting('engram.space', true), '')::uuid);
CREATE POLICY own ON uses USING (space = nullif(current_setting('engram.space', true), '')::uuid);
CREATE POLICY own ON counters USING (space = nullif(current_setting('engram.space', true), '')::uuid);
CREATE POLICY own ON tombstones USING (space = nullif(current_setting('engram.space', true), '')::uuid);
CREATE POLICY own ON lineages USING (space = nullif(current_setting('engram.space', true), '')::uuid);
CREATE POLICY own ON carriers USING (space = nullif(current_setting('engram.space', true), '')::uuid);
CREATE POLICY own ON carried USING (space = nullif(current_setting('engram.space', true), '')::uuid);
CREATE POLICY own ON pulled USING (space = nullif(current_setting('engram.space', true), '')::uuid);
CREATE POLICY own ON deferred USING (space = nullif(current_setting('engram.space', true), '')::uuid);
CREATE POLICY own ON unsealed USING (space = nullif(current_setting('engram.space', true), '')::uuid);
CREATE POLICY own ON segments USING (space = nullif(current_setting('engram.space', true), '')::uuid);
CREATE POLICY own ON postings USING (space = nullif(current_setting('engram.space', true), '')::uuid);
CREATE POLICY own ON documents USING (space = nullif(current_setting('engram.space', true), '')::uuid);
CREATE POLICY own ON lengths USING (space = nullif(current_setting('engram.space', true), '')::uuid);
CREATE POLICY own ON kinds USING (space = nullif(current_setting('engram.space', true), '')::uuid);
CREATE POLICY own ON models USING (space = nullif(current_setting('engram.space', true), '')::uuid);
CREATE POLICY own ON vectors USING (space = nullif(current_setting('engram.space', true), '')::uuid);
CREATE POLICY own ON codes USING (space = nullif(current_setting('engram.space', true), '')::uuid);
CREATE POLICY own ON coded USING (space = nullif(current_setting('engram.space', true), '')::uuid);
