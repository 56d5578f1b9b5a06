package health

import "slices"

// Remedy is one kind of repair.
type Remedy string

// The remedies, in the order of execution.
const (
	CloseFiles      Remedy = "close_files"      // remove the rights of others on the files
	MoveSessions    Remedy = "move_sessions"    // move sessions, with their content, to their project
	RemoveRelations Remedy = "remove_relations" // remove relations to missing memories
	CutSecrets      Remedy = "cut_secrets"      // remove recognized secrets from stored texts
	Reindex         Remedy = "reindex"          // rebuild the index of words and the codes of vectors
	Embed           Remedy = "embed"            // add missing vectors, and drop those of former models
	EmbedAnew       Remedy = "embed_anew"       // rebuild all vectors and the index
	ShortenLog      Remedy = "shorten_log"      // empty the write-ahead log
	ListChunks      Remedy = "list_chunks"      // rebuild the list of shared chunks
)

// Step is one planned repair.
type Step struct {
	Check  ID
	Remedy Remedy
	Reason string
}

// Stores reports whether the step changes the database: then a backup comes first.
func (s Step) Stores() bool {
	return s.Remedy != CloseFiles && s.Remedy != ShortenLog && s.Remedy != ListChunks
}

// Plan returns the safe repairs for the given checks. A damaged file is not touched: every repair
// would write to it.
func Plan(ids []ID, f Facts, p Policy) (steps []Step) {
	add := func(id ID, r Remedy, when bool) {
		if c := Judge(id, f, p); when && slices.Contains(ids, id) && c.Result != OK {
			steps = append(steps, Step{id, r, c.Message})
		}
	}
	add(FileModes, CloseFiles, true)
	add(SharedManifest, ListChunks, f.Shared.Repair)
	if f.Missing || !f.Sound() {
		return steps
	}
	v := f.Vectors
	anew := v.Stale.Count+v.Misfit.Count > 0
	add(ManualSession, MoveSessions, slices.ContainsFunc(Strays(ManualSession, f), func(s Stray) bool { return s.Known }))
	add(SessionFolder, MoveSessions, true)
	add(Nowhere, RemoveRelations, f.Relations.Err == nil)
	add(Secrets, CutSecrets, f.Secrets.Err == nil)
	add(IndexInStep, Reindex, !anew && f.Index.Err == nil)
	add(VectorsInStep, EmbedAnew, anew)
	add(VectorsInStep, Reindex, !anew && (v.OffCode.Count > 0 || v.Broken != nil))
	add(VectorsInStep, Embed, !anew && v.Err == nil && v.Missing.Count+len(v.Former) > 0)
	add(LogCheckpoint, ShortenLog, f.Log.Known && f.Log.Err == nil)
	return steps
}
