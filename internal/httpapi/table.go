package httpapi

import (
	"net/http"
	"slices"
	"strings"
	"time"

	"github.com/alanbuscaglia/engram"
	"github.com/alanbuscaglia/engram/internal/document"
	"github.com/alanbuscaglia/engram/internal/engine/consolidate"
	"github.com/alanbuscaglia/engram/internal/engine/exchange"
	engineread "github.com/alanbuscaglia/engram/internal/engine/read"
	"github.com/alanbuscaglia/engram/internal/engine/relate"
	"github.com/alanbuscaglia/engram/internal/engine/search"
)

// maxBody is the size limit of a request in bytes: room for the longest content with every non-ASCII letter
// escaped.
const maxBody = 4 << 20

// Route is one row of the table of routes, and all that a handler may read and answer: a parameter that is not
// in Params never reaches it, and a body of another type than Body is an internal error.
type Route struct {
	Method  string // "" for every method
	Path    string // as http.ServeMux has it: /sessions/{id}
	Summary string // for people, in a few words
	Token   bool   // requires the token, when one is set
	MaxBody int64  // bytes

	// Newer routes reject unknown parameters and fields and answer errors as {"error":{…}}. Older ones ignore
	// them and answer {"error":"…"}.
	Newer    bool
	RPC      bool     // answers errors as JSON-RPC does
	Params   []Param  // of the query
	Body     any      // a value of the type to decode; nil when no body is read
	Optional bool     // the body may be left out
	Answers  []Answer // on success, the usual one first
	Fails    []int    // error statuses beside those of every route
	Hidden   bool     // not part of the API: only the program's own commands call it

	handle func(*request) (reply, error)                 // nil when stream is set
	slow   bool                                          // may take minutes
	stream func(w http.ResponseWriter, q *request) error // answers by itself, without a time limit
	unread bool                                          // the handler reads the body itself, up to MaxBody
}

// Answer is one kind of success.
type Answer struct {
	Status int
	Body   any    // a value of the encoded type; a string where Media is text; nil for no body
	Media  string // "" is application/json
}

// Routes returns the table in the order of the documentation. A request that matches no route passes the same
// chain and is answered 404 or 405.
func (a *API) Routes() []Route { return slices.Clone(a.routes) }

// pattern returns the route as http.ServeMux expects it.
func (r Route) pattern() string {
	path := r.Path
	if path == "/" {
		path = "/{$}" // the exact path only
	}
	return strings.TrimSpace(r.Method + " " + path)
}

// grace returns how long a slow request may continue after the server is stopped. An open MCP stream never
// finishes by itself.
func (r Route) grace(method string) time.Duration {
	if r.Path == "/mcp" && method == http.MethodGet {
		return streamGrace
	}
	return slowGrace
}

// name returns the route for display.
func (r Route) name() string {
	return strings.TrimSpace(r.Method + " " + strings.Replace(r.Path, "...}", "}", 1))
}

// read is a row for a reading route: it needs the token only where other machines can reach the server.
func read(path string, h func(*request) (reply, error), summary string) Route {
	return Route{Method: http.MethodGet, Path: path, Summary: summary, MaxBody: maxBody, handle: h}
}

// write is a row for a route that changes or exposes much: it needs the token.
func write(method, path string, h func(*request) (reply, error), summary string) Route {
	return Route{Method: method, Path: path, Summary: summary, Token: true, MaxBody: maxBody, handle: h}
}

// decoded adapts a handler that takes a decoded body.
func decoded[T any](h func(*request, T) (reply, error)) func(*request) (reply, error) {
	return func(q *request) (reply, error) {
		in := decode[T](q)
		if q.err != nil {
			return reply{}, q.err
		}
		return h(q, in)
	}
}

// newer makes r reject unknown parameters and fields.
func (r Route) newer() Route { r.Newer = true; return r }

// long marks r as possibly taking minutes.
func (r Route) long() Route { r.slow = true; return r }

// query adds parameters.
func (r Route) query(ps ...Param) Route { r.Params = append(slices.Clip(r.Params), ps...); return r }

// streams lets h answer r by itself, without a time limit.
func (r Route) streams(h func(w http.ResponseWriter, q *request) error) Route {
	r.stream = h
	return r
}

// unreads leaves reading the body, of at most that many bytes, to the handler.
func (r Route) unreads(most int64) Route { r.MaxBody, r.unread = most, true; return r }

// takes makes r decode a body of v's type; may makes that body optional.
func (r Route) takes(v any) Route { r.Body = v; return r }
func (r Route) may(v any) Route   { r.Body, r.Optional = v, true; return r }

// gives adds a JSON answer of v's type with 200, or with each of the statuses.
func (r Route) gives(v any, statuses ...int) Route {
	if len(statuses) == 0 {
		statuses = []int{http.StatusOK}
	}
	for _, status := range statuses {
		r.Answers = append(slices.Clip(r.Answers), Answer{Status: status, Body: v})
	}
	return r
}

// texts adds text answers of these media types.
func (r Route) texts(media ...string) Route {
	for _, m := range media {
		r.Answers = append(slices.Clip(r.Answers), Answer{Status: http.StatusOK, Body: "", Media: m})
	}
	return r
}

// fails sets the error statuses of r beside those of every route.
func (r Route) fails(statuses ...int) Route { r.Fails = statuses; return r }

// routeOf returns the route that r would reach, for requests that fail before they reach it.
func (a *API) routeOf(r *http.Request) Route {
	if clean(r.URL.EscapedPath()) != r.URL.EscapedPath() {
		return a.fallback()
	}
	_, pattern := a.mux.Handler(r)
	if route, ok := a.patterns[pattern]; ok {
		return route
	}
	return a.fallback()
}

// fallback answers requests that match no route. It needs no token, because it reveals nothing.
func (a *API) fallback() Route {
	return Route{Path: "/", MaxBody: maxBody, handle: a.unknown}
}

// unknown answers 405 where another method would match, else 404.
func (a *API) unknown(q *request) (reply, error) {
	path := q.URL.EscapedPath()
	if tidy := clean(path); tidy != path {
		err := engram.Errorf(engram.CodeNotFound, "no such route: %s", q.URL.Path).WithHint("%s is not the same; write a / inside a name as %%2F", tidy)
		return reply{}, err
	}
	var allow []string
	newer := false // whether the routes of this path are newer ones
	for _, method := range []string{http.MethodGet, http.MethodPost, http.MethodPatch, http.MethodDelete} {
		probe := *q.Request
		probe.Method = method
		if _, pattern := a.mux.Handler(&probe); a.patterns[pattern].Path != "" {
			allow = append(allow, method)
			newer = a.patterns[pattern].Newer
		}
	}
	if slices.Contains(allow, http.MethodGet) {
		allow = slices.Insert(allow, 1, http.MethodHead)
	}
	if len(allow) == 0 {
		err := engram.Errorf(engram.CodeNotFound, "no such route: %s", q.URL.Path).WithHint("GET / lists the routes")
		return reply{}, err
	}
	err := engram.Errorf(engram.CodeInvalid, "%s is not allowed for %s", q.Method, q.URL.Path).WithHint("use %s", strings.Join(allow, " or "))
	return reply{}, &refusal{status: http.StatusMethodNotAllowed, newer: newer, header: "Allow", value: strings.Join(allow, ", "), err: err}
}

// Statuses that many rows name.
const (
	created  = http.StatusCreated
	notFound = http.StatusNotFound
	conflict = http.StatusConflict
)

// table returns every route. Reading routes are GET and open; changing routes use other methods and need the
// token. A row says all that its handler reads and answers:
//
//	write(METHOD, path, handler, summary).query(parameters).takes(body{}).gives(answer{}, statuses).fails(statuses)
func (a *API) table() []Route {
	lists := [][]Route{a.serverRows(), a.sessionRows(), a.observationRows(), a.findingRows(), a.promptRows(), a.storeRows(), a.ageingRows(),
		a.journalRows(), a.relationRows(), a.conflictRows(), a.memoryRows(), a.rememberRows()}
	var routes []Route
	for _, list := range lists {
		routes = append(routes, list...)
	}
	if a.Daemon != nil {
		// No token: it asks for a key of its own that only this user can read.
		routes = append(routes, Route{Method: "POST", Path: "/daemon/{verb}", Summary: "requests of this program's own commands", MaxBody: maxBody, Newer: true, Hidden: true, Body: map[string]any{}, stream: passTo(a.Daemon)})
	}
	if a.MCP != nil {
		routes = append(routes, Route{Path: "/mcp", Summary: "MCP over streamable HTTP", Token: true, MaxBody: maxBody, Newer: true, RPC: true, stream: passTo(a.MCP)}.
			query(words("tools", "profiles and names of tools, separated by commas; default: agent")).gives(map[string]any{}).texts(mediaEvents).gives(nil, http.StatusAccepted).fails(notFound))
	}
	return routes
}

func (a *API) serverRows() []Route {
	return []Route{
		read("/", a.greet, "list the routes").newer().gives(greeting{}),
		read("/health", a.health, "check that the server answers").gives(health{}),
		read("/openapi.json", a.openAPI, "this description").newer().gives(map[string]any{}),
	}
}

func (a *API) sessionRows() []Route {
	return []Route{
		write("POST", "/sessions", decoded(a.startSession), "start a session; an existing one keeps its data").takes(sessionBody{}).gives(begun{}, created),
		read("/sessions/recent", a.recentSessions, "list sessions, latest activity first").query(inProject(), limit(5, maxList).lax()).gives([]sessionRow{}),
		read("/sessions/{id}", a.session, "read a session").gives(sessionDoc{}).fails(notFound),
		read("/sessions/{id}/uses", a.sessionUses, "list what a session was shown").newer().gives(usesDoc{}).fails(notFound),
		write("POST", "/sessions/{id}/end", a.endSession, "end a session").may(endBody{}).gives(done{}),
		write("DELETE", "/sessions/{id}", a.deleteSession, "delete a session without memories").query(erasing()).gives(done{}).fails(notFound, conflict),
	}
}

func (a *API) observationRows() []Route {
	lists := []Param{inProject(), oneScope().lax(), superseded(), limit(20, maxList).lax()}
	return []Route{
		write("POST", "/observations", decoded(a.saveObservation), "save a memory").takes(observationBody{}).gives(savedObservation{}, created).fails(conflict),
		read("/observations", a.observations, "list memories, newest first").query(all(lists, []Param{words("sort", "the only supported order", "created_at:desc")})...).gives([]observation{}),
		read("/observations/recent", a.recentObservations, "list memories, newest first").query(lists...).gives([]observation{}),
		write("POST", "/observations/passive", decoded(a.capture), `save each item under "## Key Learnings:" of a text`).takes(captureBody{}).gives(captured{}).fails(conflict),
		read("/observations/{id}", a.observation, "read a memory").query(forSession(), working(), asOf()).gives(observation{}).fails(notFound),
		write("PATCH", "/observations/{id}", a.updateObservation, "change a memory").takes(observationChange{}).gives(observation{}).fails(notFound, conflict),
		write("DELETE", "/observations/{id}", a.deleteObservation, "forget a memory").query(erasing().lax()).gives(deletedObservation{}).fails(notFound),
	}
}

// erasing asks for a hard delete.
func erasing() Param { return flag("hard", "erase it permanently") }

func (a *API) findingRows() []Route {
	around := func(name, where string) Param {
		return whole(name, "how many memories of its session "+where, 5, 0, maxAround).lax()
	}
	again := flag("again", "include what the session was already shown")
	budget := func(def int) Param {
		return whole("budget", "approximate number of tokens; 0 is the default", def, 0, search.MaxBudget)
	}
	return []Route{
		read("/search", a.search, "search, best first; without q list the newest").query(all(narrowing(oneScope().lax()), finding(), []Param{forSession(), working(),
			limit(10, 20).lax(), flag("explain", "explain each result"), flag("weak", "include results below the relevance threshold; default: only beside relevant ones").unset()})...).gives([]foundObservation{}).fails(notFound),
		read("/timeline", a.timeline, "list what was saved around a memory").query(Param{Name: "observation_id", Doc: "its number", Kind: KindWhole, Required: true},
			around("before", "before it"), around("after", "after it")).gives(timelineDoc{}).fails(notFound),
		read("/context", a.context, "build the context of a new session").query(inProject(), oneScope().lax(), superseded(), budget(search.ContextBudget).lax(), forSession(), working(), again, asOf()).gives(contextDoc{}).fails(notFound),
		read("/recall", a.recall, "search, and fill a token budget with the results").newer().query(all(narrowing(oneScope()), finding(), []Param{forSession(), working(), again,
			budget(search.RecallBudget), whole("limit", "maximum number; default: as many as the budget allows", 0, 1, 100).unset()})...).gives(recalledDoc{}).fails(notFound),
	}
}

func (a *API) promptRows() []Route {
	return []Route{
		write("POST", "/prompts", decoded(a.savePrompt), "save what the user asked").takes(promptBody{}).gives(savedPrompt{}, created).fails(conflict),
		read("/prompts/recent", a.recentPrompts, "list prompts, newest first").query(inProject(), limit(20, maxList).lax()).gives([]promptDoc{}),
		read("/prompts/search", a.searchPrompts, "search prompts by words").query(words("q", "words; empty lists the newest"), inProject(), limit(10, 100).lax()).gives([]promptDoc{}),
		write("DELETE", "/prompts/{id}", a.deletePrompt, "delete a prompt").query(erasing()).gives(kept{}).fails(notFound),
	}
}

func (a *API) storeRows() []Route {
	cwd := words("cwd", "a folder, relative to the server's own; default: the server's own")
	return []Route{
		read("/sync/status", a.syncStatus, "state of replication").query(words("project", "only this project")).gives(syncStatus{}),
		read("/usage", a.usage, "usage: reads and saves with their outcomes").newer().query(inProject(), words("session_id", "only this session"),
			moment("since", "since the day of this time, in UTC; default: from the beginning")).gives(document.Metrics{}).fails(notFound),
		read("/metrics", a.metrics, "metrics for Prometheus, if enabled in the settings").newer().texts(mediaPrometheus).fails(notFound),
		read("/stats", a.stats, "count what is stored; with by, in groups").query(words("by", "group memories by this", "project", "type", "day", "week", "month"), words("project", "with by: only this project"),
			moment("since", "with by: only memories created at or after this time")).gives(statsDoc{}).fails(notFound),
		read("/doctor", a.doctor, "check the health of the store").query(words("project", "only this project"), words("check", "only this check"), cwd).gives(document.Report{}).fails(notFound),
		write("GET", "/export", nil, "export everything, or one project, as a file").streams(a.export).query(words("project", "only this project"),
			words("format", "json, the default, keeps everything; mem has only the fields of the mem_* programs", exportFormats()...), flag("vectors", "include vectors; only with format json")).gives(map[string]any{}).fails(notFound),
		write("POST", "/import", nil, "import an exported file; the body is the file, optionally compressed with gzip").streams(a.importFile).unreads(maxImport).query(
			words("mode", "merge is the default; replace forgets what is not in the file", string(exchange.ImportMerge), string(exchange.ImportReplace)),
			words("project", "import everything into this project; memories of another project are copied"), flag("dry_run", "only report what would happen"),
			flag("all_projects", "with replace: all projects of the file; default: only project, or that of the server's folder"),
			whole("may_forget", "with replace: how many memories may be forgotten; an import that would forget more is rejected and names their projects", 0, 0, 1<<30)).takes(map[string]any{}).gives(importedDoc{}).fails(conflict),
		read("/project/current", a.currentProject, "detect the project of a folder").query(cwd).gives(currentProject{}),
		read("/projects", a.projects, "list projects with their counts").newer().gives(projectsDoc{}),
		write("POST", "/projects/migrate", decoded(a.migrateProject), "move everything of a project to another").takes(migrateBody{}).gives(migrated{}).gives(skipped{}).fails(notFound, conflict),
		read("/projects/{name}/decay", a.projectDecay, "read how the memories of a project fade").newer().query(words("type", "only memories of this type")).gives(document.ProjectDecay{}).fails(notFound),
		write("PATCH", "/projects/{name}/decay", decoded(a.setProjectDecay), "change how the memories of a project fade; null fields stay").newer().takes(decayBody{}).gives(document.ProjectDecay{}).fails(notFound),
	}
}

func (a *API) ageingRows() []Route {
	page := []Param{limit(20, maxList), offset()}
	return []Route{
		read("/decay", a.decay, "list the strength of memories with the reason, weakest first").newer().query(all(narrowing(oneScope()), []Param{listed("id", "only these: numbers, ids or topic:KEY"),
			share("below", "only weaker memories"), whole("days", "how far ahead to look", 30, 1, consolidate.MaxDecayDays), words("curve", "compute by this curve", strs(engram.Curves()...)...)}, page)...).gives(decayDoc{}).fails(notFound, conflict),
		read("/review", a.reviews, "list pending items, and memories due for review, longest overdue first").newer().query(all([]Param{inProject(),
			listed("kind", "only these kinds: suspect, waiting, proposal, changed, due")}, page)...).gives(reviewsDoc{}).fails(notFound),
		write("POST", "/review/approve", decoded(a.reviewApprove), "approve pending items").newer().takes(approveBody{}).gives(decidedDoc{}).fails(notFound, conflict),
		write("POST", "/review/refuse", decoded(a.reviewRefuse), "reject pending items").newer().takes(namesBody{}).gives(decidedDoc{}).fails(notFound, conflict),
		write("POST", "/review/{ref}/done", a.reviewDone, "mark a memory as reviewed").newer().may(struct{}{}).gives(reviewedDoc{}).fails(notFound, conflict),
		write("POST", "/review/{ref}/snooze", a.reviewSnooze, "postpone a review").newer().takes(snoozeBody{}).gives(reviewedDoc{}).fails(notFound, conflict),
		write("POST", "/sleep", decoded(a.sleep), "consolidate memories").newer().long().takes(sleepBody{}).gives(document.Sleep{}).fails(notFound, conflict),
		write("POST", "/prune", decoded(a.prune), "forget memories that have faded").newer().long().takes(sleepBody{}).gives(document.Sleep{}).fails(notFound, conflict),
		read("/diagnostics", a.diagnostics, "list memories that deserve a look").newer().long().query(inProject(), limit(10, 100)).gives(document.Diagnostics{}).fails(notFound),
	}
}

func (a *API) journalRows() []Route {
	version := func(name string) Param {
		return whole(name, "a version; 0 is the current one", 0, 0, 1<<30).unset()
	}
	return []Route{
		a.eventsRow(),
		read("/log", a.log, "list operations, latest first").newer().query(words("ref", "only operations on this memory"), inProject(), words("actor", "only operations of this actor: cli, http, mcp, mcp:NAME"),
			words("verb", "only operations of this name"), moment("since", "only operations at or after this time"), moment("until", "only operations before this time"),
			limit(20, maxList), offset()).gives(document.Log{}).fails(notFound, conflict),
		write("POST", "/undo", decoded(a.undo), "undo operations").newer().takes(undoBody{}).gives(document.Undone{}).gives(undoneDoc{}).fails(notFound, conflict),
		read("/history/{ref...}", a.history, "list the versions of a memory, or compare two").newer().query(topicProject(), version("from"), version("to")).gives(document.History{}).gives(document.Diff{}).fails(notFound, conflict),
		write("POST", "/restore", decoded(a.restore), "restore an earlier version of a memory").newer().takes(restoreBody{}).gives(changedDoc{}).fails(notFound, conflict),
	}
}

// topicProject says in which project a topic is.
func topicProject() Param {
	return words("project", "the project of the topic that names the memory")
}

func (a *API) relationRows() []Route {
	end := func(name string) Param { return words(name, "a number, an id or topic:KEY").needed() }
	return []Route{
		write("POST", "/relations", decoded(a.link), "link two memories").newer().takes(linkBody{}).gives(document.Linked{}, http.StatusOK, created).fails(notFound, conflict),
		write("DELETE", "/relations", a.unlink, "remove relations").newer().query(end("source"), end("target"), words("relation", "only this one")).gives(document.Unlinked{}).fails(notFound, conflict),
		read("/graph", a.graph, "read the graph around a memory").newer().query(end("ref"), topicProject(), whole("depth", "how many relations deep; default: 2", 0, 1, 5).bounded().unset(),
			listed("relation", "follow only these"), flag("pending", "include candidates without a verdict"), flag("all_projects", "follow relations into other projects"),
			whole("limit", "maximum number of memories; default: 200", 0, 1, engineread.MaxGraph).unset(), words("format", "format of the answer", "json", "text", "dot", "mermaid")).
			gives(document.Graph{}).texts(mediaText, mediaDOT, mediaMermaid).fails(notFound, conflict),
	}
}

func (a *API) conflictRows() []Route {
	page := []Param{limit(50, relate.MaxConflicts).lax(), offset().lax()}
	return []Route{
		read("/conflicts", a.conflicts, "list candidates and verdicts, newest first").query(all([]Param{inProject(), words("status", "only these", "pending", "judged", "ignored", "orphaned"),
			moment("since", "only those noted at or after this time")}, page)...).gives(conflictPage{}),
		read("/conflicts/stats", a.conflictStats, "count candidates and verdicts").query(inProject()).gives(conflictCounts{}),
		read("/conflicts/deferred", a.deferred, "list changes from other stores that could not be applied").query(words("status", "only these", "deferred", "dead"), limit(50, relate.MaxConflicts), offset()).gives(deferredPage{}),
		read("/conflicts/{id}", a.conflict, "read a candidate or a verdict").gives(document.ConflictShown{}).fails(notFound),
		write("POST", "/conflicts/scan", decoded(a.scanConflicts), "look for contradictions").long().takes(scanBody{}).gives(scannedDoc{}).fails(notFound),
		write("POST", "/conflicts/judge", decoded(a.judgeConflict), "record a verdict").takes(judgeBody{}).gives(verdictDoc{}).fails(notFound, conflict),
		write("POST", "/conflicts/compare", decoded(a.compareMemories), "record a verdict on two memories").takes(compareBody{}).gives(compared{}).fails(notFound, conflict),
		write("POST", "/conflicts/deferred/replay", a.replayDeferred, "retry changes that could not be applied").gives(replayed{}),
	}
}

func (a *API) memoryRows() []Route {
	return []Route{
		write("POST", "/memories", decoded(a.saveMemory), "save a memory").newer().takes(memoryBody{}).gives(document.Saved{}, http.StatusOK, created).fails(notFound, conflict),
		write("POST", "/memories/batch", decoded(a.saveMemories), "save several memories, all or none").newer().takes(batchBody{}).gives(batchDoc{}, http.StatusOK, created).fails(notFound, conflict),
		read("/memories", a.memories, "list memories, newest first; with q search").newer().query(all(narrowing(oneScope()), finding(), []Param{words("session_id", "only what this session saved"), working(),
			flag("forgotten", "list forgotten memories"), limit(20, maxList).like("maximum number; with q 10, at most 100").unset(), offset().like("how many to skip; not with q").unset()})...).
			gives(listDoc{}).gives(foundDoc{}).fails(notFound),
		read("/memories/{ref...}", a.memory, "read a memory with its relations and revisions").newer().query(topicProject(), forSession(), working(), asOf()).gives(detailDoc{}).fails(notFound, conflict),
		write("PATCH", "/memories/{ref...}", a.updateMemory, "change a memory; absent fields stay").newer().query(topicProject()).takes(memoryChange{}).gives(updatedDoc{}).fails(notFound, conflict),
		write("DELETE", "/memories/{ref...}", a.deleteMemory, "forget a memory").newer().query(topicProject(), erasing()).gives(document.Deleted{}).fails(notFound, conflict),
	}
}
