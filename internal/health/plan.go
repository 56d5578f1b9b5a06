package health

import "slices"

// Remedy is one kind of repair.
type Remedy string

// The remedies, in the order in which they are taken.
const (
	CloseFiles      Remedy = "close_files"      // take the rights of others on the files away
	MoveSessions    Remedy = "move_sessions"    // give sessions, with what is in them, to the project they belong to
	RemoveRelations Remedy = "remove_relations" // take away relations to memories that are not there
	CutSecrets      Remedy = "cut_secrets"      // take recognised secrets out of what is kept
	Reindex         Remedy = "reindex"          // make the index of words anew, and the codes of vectors beside it
	Embed           Remedy = "embed"            // give memories their vectors, and drop those of former models
	EmbedAnew       Remedy = "embed_anew"       // make every vector anew, and the index
	ShortenLog      Remedy = "shorten_log"      // empty the write-ahead log
	ListChunks      Remedy = "list_chunks"      // make the list of shared chunks anew
)

// Step is one repair that a plan asks for.
type Step struct {
	Check  ID
	Remedy Remedy
	Reason string
}

// Stores reports whether the step changes what is in the database: a backup comes first.
func (s Step) Stores() bool {
	return s.Remedy != CloseFiles && s.Remedy != ShortenLog && s.Remedy != ListChunks
}

// Plan says what can safely be mended of what some checks would find. A file that SQLite
// finds damaged is left as it is: every repair would write to it.
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
