package httpapi

import (
	"net/http"
	"slices"

	"github.com/alanbuscaglia/engram"
	"github.com/alanbuscaglia/engram/internal/document"
	"github.com/alanbuscaglia/engram/internal/engine/consolidate"
	"github.com/alanbuscaglia/engram/internal/engine/exchange"
	"github.com/alanbuscaglia/engram/internal/engine/read"
	"github.com/alanbuscaglia/engram/internal/engine/relate"
	"github.com/alanbuscaglia/engram/internal/engine/search"
	"github.com/alanbuscaglia/engram/internal/httpapi/route"
)

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
func (a *API) table() []route.Route {
	routes := slices.Concat(a.serverRows(), a.sessionRows(), a.observationRows(), a.findingRows(), a.promptRows(), a.storeRows(), a.ageingRows(),
		a.journalRows(), a.relationRows(), a.conflictRows(), a.memoryRows(), a.rememberRows())
	if a.Daemon != nil {
		// No token: it asks for a key of its own that only this user can read.
		routes = append(routes, route.Route{Method: "POST", Path: "/daemon/{verb}", Summary: "requests of this program's own commands", MaxBody: route.MaxBody, Newer: true, Hidden: true, Body: map[string]any{}, Stream: route.PassTo(a.Daemon)})
	}
	if a.MCP != nil {
		routes = append(routes, route.Route{Path: "/mcp", Summary: "MCP over streamable HTTP", Token: true, MaxBody: route.MaxBody, Newer: true, RPC: true, Stream: route.PassTo(a.MCP)}.
			Query(route.Words("tools", "profiles and names of tools, separated by commas; default: agent")).Gives(map[string]any{}).Texts(route.MediaEvents).Gives(nil, http.StatusAccepted).FailsWith(notFound))
	}
	return routes
}

func (a *API) serverRows() []route.Route {
	return []route.Route{
		route.Read("/", a.greet, "list the routes").AsNewer().Gives(greeting{}),
		route.Read("/health", a.health, "check that the server answers").Gives(health{}),
		route.Read("/openapi.json", a.openAPI, "this description").AsNewer().Gives(map[string]any{}),
	}
}

func (a *API) sessionRows() []route.Route {
	return []route.Route{
		route.Write("POST", "/sessions", route.Decoded(a.startSession), "start a session; an existing one keeps its data").Takes(sessionBody{}).Gives(begun{}, created),
		route.Read("/sessions/recent", a.recentSessions, "list sessions, latest activity first").Query(inProject(), limit(5, maxList).Leniently()).Gives([]sessionRow{}),
		route.Read("/sessions/{id}", a.session, "read a session").Gives(sessionDoc{}).FailsWith(notFound),
		route.Read("/sessions/{id}/uses", a.sessionUses, "list what a session was shown").AsNewer().Gives(usesDoc{}).FailsWith(notFound),
		route.Write("POST", "/sessions/{id}/end", route.Decoded(a.endSession), "end a session").May(endBody{}).Gives(done{}),
		route.Write("DELETE", "/sessions/{id}", a.deleteSession, "delete a session without memories").Query(erasing()).Gives(done{}).FailsWith(notFound, conflict),
	}
}

func (a *API) observationRows() []route.Route {
	lists := []route.Param{inProject(), oneScope().Leniently(), superseded(), limit(20, maxList).Leniently()}
	return []route.Route{
		route.Write("POST", "/observations", route.Decoded(a.saveObservation), "save a memory").Takes(observationBody{}).Gives(savedObservation{}, created).FailsWith(conflict),
		route.Read("/observations", a.observations, "list memories, newest first").Query(slices.Concat(lists, []route.Param{route.Words("sort", "the only supported order", "created_at:desc")})...).Gives([]observation{}),
		route.Read("/observations/recent", a.recentObservations, "list memories, newest first").Query(lists...).Gives([]observation{}),
		route.Write("POST", "/observations/passive", route.Decoded(a.capture), `save each item under "## Key Learnings:" of a text`).Takes(captureBody{}).Gives(captured{}).FailsWith(conflict),
		route.Read("/observations/{id}", a.observation, "read a memory").Query(forSession(), working(), asOf()).Gives(observation{}).FailsWith(notFound),
		route.Write("PATCH", "/observations/{id}", a.updateObservation, "change a memory").Takes(observationChange{}).Gives(observation{}).FailsWith(notFound, conflict),
		route.Write("DELETE", "/observations/{id}", a.deleteObservation, "forget a memory").Query(erasing().Leniently()).Gives(deletedObservation{}).FailsWith(notFound),
	}
}

func erasing() route.Param { return route.Flag("hard", "erase it permanently") }

func (a *API) findingRows() []route.Route {
	around := func(name, where string) route.Param {
		return route.Whole(name, "how many memories of its session "+where, 5, 0, maxAround).Leniently()
	}
	again := route.Flag("again", "include what the session was already shown")
	budget := func(def int) route.Param {
		return route.Whole("budget", "approximate number of tokens; 0 is the default", def, 0, search.MaxBudget)
	}
	return []route.Route{
		route.Read("/search", a.search, "search, best first; without q list the newest").Query(slices.Concat(narrowing(oneScope().Leniently()), finding(), []route.Param{forSession(), working(),
			limit(10, 20).Leniently(), route.Flag("explain", "explain each result"), route.Flag("weak", "include results below the relevance threshold; default: only beside relevant ones").Unset()})...).Gives([]foundObservation{}).FailsWith(notFound),
		route.Read("/timeline", a.timeline, "list what was saved around a memory").Query(route.Param{Name: "observation_id", Doc: "its number", Kind: route.KindWhole, Required: true},
			around("before", "before it"), around("after", "after it")).Gives(timelineDoc{}).FailsWith(notFound),
		route.Read("/context", a.context, "build the context of a new session").Query(inProject(), oneScope().Leniently(), superseded(), budget(search.ContextBudget).Leniently(), forSession(), working(), again, asOf()).Gives(contextDoc{}).FailsWith(notFound),
		route.Read("/recall", a.recall, "search, and fill a token budget with the results").AsNewer().Query(slices.Concat(narrowing(oneScope()), finding(), []route.Param{forSession(), working(), again,
			budget(search.RecallBudget), route.Whole("limit", "maximum number; default: as many as the budget allows", 0, 1, 100).Unset()})...).Gives(recalledDoc{}).FailsWith(notFound),
	}
}

func (a *API) promptRows() []route.Route {
	return []route.Route{
		route.Write("POST", "/prompts", route.Decoded(a.savePrompt), "save what the user asked").Takes(promptBody{}).Gives(savedPrompt{}, created).FailsWith(conflict),
		route.Read("/prompts/recent", a.recentPrompts, "list prompts, newest first").Query(inProject(), limit(20, maxList).Leniently()).Gives([]promptDoc{}),
		route.Read("/prompts/search", a.searchPrompts, "search prompts by words").Query(route.Words("q", "words; empty lists the newest"), inProject(), limit(10, 100).Leniently()).Gives([]promptDoc{}),
		route.Write("DELETE", "/prompts/{id}", a.deletePrompt, "delete a prompt").Query(erasing()).Gives(kept{}).FailsWith(notFound),
	}
}

func (a *API) storeRows() []route.Route {
	cwd := route.Words("cwd", "a folder, relative to the server's own; default: the server's own")
	return []route.Route{
		route.Read("/sync/status", a.syncStatus, "state of replication").Query(route.Words("project", "only this project")).Gives(syncStatus{}),
		route.Read("/usage", a.usage, "usage: reads and saves with their outcomes").AsNewer().Query(inProject(), route.Words("session_id", "only this session"),
			route.Moment("since", "since the day of this time, in UTC; default: from the beginning")).Gives(document.Metrics{}).FailsWith(notFound),
		route.Read("/metrics", a.metrics, "metrics for Prometheus, if enabled in the settings").AsNewer().Texts(mediaPrometheus).FailsWith(notFound),
		route.Read("/stats", a.stats, "count what is stored; with by, in groups").Query(route.Words("by", "group memories by this", "project", "type", "day", "week", "month"), route.Words("project", "with by: only this project"),
			route.Moment("since", "with by: only memories created at or after this time")).Gives(statsDoc{}).FailsWith(notFound),
		route.Read("/doctor", a.doctor, "check the health of the store").Query(route.Words("project", "only this project"), route.Words("check", "only this check"), cwd).Gives(document.Report{}).FailsWith(notFound),
		route.Write("GET", "/export", nil, "export everything, or one project, as a file").StreamedBy(a.export).Query(route.Words("project", "only this project"),
			route.Words("format", "json, the default, keeps everything; mem has only the fields of the mem_* programs", exchange.NativeFormat, "mem"), route.Flag("vectors", "include vectors; only with format json")).Gives(map[string]any{}).FailsWith(notFound),
		route.Write("POST", "/import", nil, "import an exported file; the body is the file, optionally compressed with gzip").StreamedBy(a.importFile).Unreads(maxImport).Query(
			route.Words("mode", "merge is the default; replace forgets what is not in the file", string(exchange.ImportMerge), string(exchange.ImportReplace)),
			route.Words("project", "import everything into this project; memories of another project are copied"), route.Flag("dry_run", "only report what would happen"),
			route.Flag("all_projects", "with replace: all projects of the file; default: only project, or that of the server's folder"),
			route.Whole("may_forget", "with replace: how many memories may be forgotten; an import that would forget more is rejected and names their projects", 0, 0, 1<<30)).Takes(map[string]any{}).Gives(importedDoc{}).FailsWith(conflict),
		route.Read("/project/current", a.currentProject, "detect the project of a folder").Query(cwd).Gives(document.CurrentProject{}),
		route.Read("/projects", a.projects, "list projects with their counts").AsNewer().Gives(projectsDoc{}),
		route.Write("POST", "/projects/migrate", route.Decoded(a.migrateProject), "move everything of a project to another").Takes(migrateBody{}).Gives(migrated{}).Gives(skipped{}).FailsWith(notFound, conflict),
		route.Read("/projects/{name}/decay", a.projectDecay, "read how the memories of a project fade").AsNewer().Query(route.Words("type", "only memories of this type")).Gives(document.ProjectDecay{}).FailsWith(notFound),
		route.Write("PATCH", "/projects/{name}/decay", route.Decoded(a.setProjectDecay), "change how the memories of a project fade; null fields stay").AsNewer().Takes(decayBody{}).Gives(document.ProjectDecay{}).FailsWith(notFound),
	}
}

func (a *API) ageingRows() []route.Route {
	page := []route.Param{limit(20, maxList), offset()}
	return []route.Route{
		route.Read("/decay", a.decay, "list the strength of memories with the reason, weakest first").AsNewer().Query(slices.Concat(narrowing(oneScope()), []route.Param{route.Listed("id", "only these: numbers, ids or topic:KEY"),
			route.Share("below", "only weaker memories"), route.Whole("days", "how far ahead to look", 30, 1, consolidate.MaxDecayDays), route.Words("curve", "compute by this curve", route.Texts(engram.Curves()...)...)}, page)...).Gives(decayDoc{}).FailsWith(notFound, conflict),
		route.Read("/review", a.reviews, "list pending items, and memories due for review, longest overdue first").AsNewer().Query(slices.Concat([]route.Param{inProject(),
			route.Listed("kind", "only these kinds: suspect, waiting, proposal, changed, due")}, page)...).Gives(reviewsDoc{}).FailsWith(notFound),
		route.Write("POST", "/review/approve", route.Decoded(a.reviewApprove), "approve pending items").AsNewer().Takes(approveBody{}).Gives(decidedDoc{}).FailsWith(notFound, conflict),
		route.Write("POST", "/review/refuse", route.Decoded(a.reviewRefuse), "reject pending items").AsNewer().Takes(namesBody{}).Gives(decidedDoc{}).FailsWith(notFound, conflict),
		route.Write("POST", "/review/{ref}/done", a.reviewDone, "mark a memory as reviewed").AsNewer().May(struct{}{}).Gives(reviewedDoc{}).FailsWith(notFound, conflict),
		route.Write("POST", "/review/{ref}/snooze", a.reviewSnooze, "postpone a review").AsNewer().Takes(snoozeBody{}).Gives(reviewedDoc{}).FailsWith(notFound, conflict),
		route.Write("POST", "/sleep", route.Decoded(a.sleep), "consolidate memories").AsNewer().Long().Takes(sleepBody{}).Gives(document.Sleep{}).FailsWith(notFound, conflict),
		route.Write("POST", "/prune", route.Decoded(a.prune), "forget memories that have faded").AsNewer().Long().Takes(sleepBody{}).Gives(document.Sleep{}).FailsWith(notFound, conflict),
		route.Read("/diagnostics", a.diagnostics, "list memories that deserve a look").AsNewer().Long().Query(inProject(), limit(10, 100)).Gives(document.Diagnostics{}).FailsWith(notFound),
	}
}

func (a *API) journalRows() []route.Route {
	version := func(name string) route.Param {
		return route.Whole(name, "a version; 0 is the current one", 0, 0, 1<<30).Unset()
	}
	return []route.Route{
		route.Read("/events", nil, "stream operations as Server-Sent Events").AsNewer().StreamedBy(a.events).Texts(route.MediaEvents).FailsWith(notFound).
			Query(inProject(), route.Param{Name: "since", Kind: route.KindWhole, Min: new(0.0), Doc: "the operation to start after; default: now; the header Last-Event-ID takes precedence"}),
		route.Read("/log", a.log, "list operations, latest first").AsNewer().Query(route.Words("ref", "only operations on this memory"), inProject(), route.Words("actor", "only operations of this actor: cli, http, mcp, mcp:NAME"),
			route.Words("verb", "only operations of this name"), route.Moment("since", "only operations at or after this time"), route.Moment("until", "only operations before this time"),
			limit(20, maxList), offset()).Gives(document.Log{}).FailsWith(notFound, conflict),
		route.Write("POST", "/undo", route.Decoded(a.undo), "undo operations").AsNewer().Takes(undoBody{}).Gives(document.Undone{}).Gives(undoneDoc{}).FailsWith(notFound, conflict),
		route.Read("/history/{ref...}", a.history, "list the versions of a memory, or compare two").AsNewer().Query(topicProject(), version("from"), version("to")).Gives(document.History{}).Gives(document.Diff{}).FailsWith(notFound, conflict),
		route.Write("POST", "/restore", route.Decoded(a.restore), "restore an earlier version of a memory").AsNewer().Takes(restoreBody{}).Gives(changedDoc{}).FailsWith(notFound, conflict),
	}
}

// topicProject says in which project a topic is.
func topicProject() route.Param {
	return route.Words("project", "the project of the topic that names the memory")
}

func (a *API) relationRows() []route.Route {
	end := func(name string) route.Param { return route.Words(name, "a number, an id or topic:KEY").Needed() }
	return []route.Route{
		route.Write("POST", "/relations", route.Decoded(a.link), "link two memories").AsNewer().Takes(linkBody{}).Gives(document.Linked{}, http.StatusOK, created).FailsWith(notFound, conflict),
		route.Write("DELETE", "/relations", a.unlink, "remove relations").AsNewer().Query(end("source"), end("target"), route.Words("relation", "only this one")).Gives(document.Unlinked{}).FailsWith(notFound, conflict),
		route.Read("/graph", a.graph, "read the graph around a memory").AsNewer().Query(end("ref"), topicProject(), route.Whole("depth", "how many relations deep; default: 2", 0, 1, 5).Bounded().Unset(),
			route.Listed("relation", "follow only these"), route.Flag("pending", "include candidates without a verdict"), route.Flag("all_projects", "follow relations into other projects"),
			route.Whole("limit", "maximum number of memories; default: 200", 0, 1, read.MaxGraph).Unset(), route.Words("format", "format of the answer", "json", "text", "dot", "mermaid")).
			Gives(document.Graph{}).Texts(route.MediaText, route.MediaDOT, route.MediaMermaid).FailsWith(notFound, conflict),
	}
}

func (a *API) conflictRows() []route.Route {
	page := []route.Param{limit(50, relate.MaxConflicts).Leniently(), offset().Leniently()}
	return []route.Route{
		route.Read("/conflicts", a.conflicts, "list candidates and verdicts, newest first").Query(slices.Concat([]route.Param{inProject(), route.Words("status", "only these", "pending", "judged", "ignored", "orphaned"),
			route.Moment("since", "only those noted at or after this time")}, page)...).Gives(conflictPage{}),
		route.Read("/conflicts/stats", a.conflictStats, "count candidates and verdicts").Query(inProject()).Gives(conflictCounts{}),
		route.Read("/conflicts/deferred", a.deferred, "list changes from other stores that could not be applied").Query(route.Words("status", "only these", "deferred", "dead"), limit(50, relate.MaxConflicts), offset()).Gives(deferredPage{}),
		route.Read("/conflicts/{id}", a.conflict, "read a candidate or a verdict").Gives(document.ConflictShown{}).FailsWith(notFound),
		route.Write("POST", "/conflicts/scan", route.Decoded(a.scanConflicts), "look for contradictions").Long().Takes(scanBody{}).Gives(scannedDoc{}).FailsWith(notFound),
		route.Write("POST", "/conflicts/judge", route.Decoded(a.judgeConflict), "record a verdict").Takes(judgeBody{}).Gives(verdictDoc{}).FailsWith(notFound, conflict),
		route.Write("POST", "/conflicts/compare", route.Decoded(a.compareMemories), "record a verdict on two memories").Takes(compareBody{}).Gives(compared{}).FailsWith(notFound, conflict),
		route.Write("POST", "/conflicts/deferred/replay", a.replayDeferred, "retry changes that could not be applied").Gives(replayed{}),
	}
}

func (a *API) memoryRows() []route.Route {
	return []route.Route{
		route.Write("POST", "/memories", route.Decoded(a.saveMemory), "save a memory").AsNewer().Takes(memoryBody{}).Gives(document.Saved{}, http.StatusOK, created).FailsWith(notFound, conflict),
		route.Write("POST", "/memories/batch", route.Decoded(a.saveMemories), "save several memories, all or none").AsNewer().Takes(batchBody{}).Gives(batchDoc{}, http.StatusOK, created).FailsWith(notFound, conflict),
		route.Read("/memories", a.memories, "list memories, newest first; with q search").AsNewer().Query(slices.Concat(narrowing(oneScope()), finding(), []route.Param{route.Words("session_id", "only what this session saved"), working(),
			route.Flag("forgotten", "list forgotten memories"), limit(20, maxList).Like("maximum number; with q 10, at most 100").Unset(), offset().Like("how many to skip; not with q").Unset()})...).
			Gives(listDoc{}).Gives(foundDoc{}).FailsWith(notFound),
		route.Read("/memories/{ref...}", a.memory, "read a memory with its relations and revisions").AsNewer().Query(topicProject(), forSession(), working(), asOf()).Gives(detailDoc{}).FailsWith(notFound, conflict),
		route.Write("PATCH", "/memories/{ref...}", a.updateMemory, "change a memory; absent fields stay").AsNewer().Query(topicProject()).Takes(memoryChange{}).Gives(updatedDoc{}).FailsWith(notFound, conflict),
		route.Write("DELETE", "/memories/{ref...}", a.deleteMemory, "forget a memory").AsNewer().Query(topicProject(), erasing()).Gives(document.Deleted{}).FailsWith(notFound, conflict),
	}
}
