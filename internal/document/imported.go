package document

import "github.com/alanbuscaglia/engram"

// Imported is what an import did.
type Imported struct {
	Format    string       `json:"format"`   // what the file was found to be: json, mem, graph, or the system that migrate names
	Project   string       `json:"project"`  // the one that it was taken from; "" for every one, or when it does not say
	Mode      string       `json:"mode"`     // merge or replace
	DryRun    bool         `json:"dry_run"`  // nothing was changed
	Op        int64        `json:"op"`       // what undo takes back; 0 when nothing was changed
	Backup    string       `json:"backup"`   // the copy of the database from before; "" when none was made
	Projects  Tally        `json:"projects"` // what became of those in the file, as in all that follows
	Sessions  Tally        `json:"sessions"`
	Prompts   Tally        `json:"prompts"`
	Memories  Tally        `json:"memories"` // also of what could not be read and stands in no list of these
	Relations Tally        `json:"relations"`
	Erased    Tally        `json:"erased"`    // things that were erased elsewhere
	Forgets   []Forgets    `json:"forgets"`   // of a replacement: how many memories of which projects
	Elsewhere int          `json:"elsewhere"` // things of the file that were passed over: of other projects than the one that is replaced
	Waiting   int          `json:"waiting"`   // memories that were written and wait for a person: they read like orders to an agent
	Rejected  []ImportNote `json:"rejected"`  // the first thousand
	Notes     []ImportNote `json:"notes"`     // of what came in otherwise than it stood there; the first thousand
}

// Forgets is how many memories of a project a replacement forgets.
type Forgets struct {
	Project  string `json:"project"`
	Memories int    `json:"memories"`
}

// Tally counts the things of one kind in a file by what became of them.
type Tally struct {
	Added     int `json:"added"`     // were not here
	Changed   int `json:"changed"`   // were here otherwise
	Unchanged int `json:"unchanged"` // were here as they are in the file, or later
	Forgotten int `json:"forgotten"` // of these, were forgotten or deleted here since, and stay so
	Rejected  int `json:"rejected"`  // did not come in
	Gone      int `json:"gone"`      // were not in a file that replaced what there was, and are forgotten
}

// ImportNote is about one item of a file.
type ImportNote struct {
	Item   string `json:"item"` // where it stands: memories[12], counted from 0
	ID     string `json:"id"`   // "" when it has none
	Reason string `json:"reason"`
}

// ImportedOf is the document of i.
func ImportedOf(i engram.Imported, dryRun bool) Imported {
	notes := func(all []engram.ImportNote) []ImportNote {
		return Each(all, func(n engram.ImportNote) ImportNote { return ImportNote{n.Item, n.Name, n.Reason} })
	}
	tally := func(t engram.ImportTally) Tally { return Tally(t) }
	return Imported{Format: i.From.Format, Project: i.From.Project, Mode: string(i.Mode), DryRun: dryRun, Op: i.Op, Backup: i.Backup,
		Projects: tally(i.Projects), Sessions: tally(i.Sessions), Prompts: tally(i.Prompts), Memories: tally(i.Memories),
		Relations: tally(i.Relations), Erased: tally(i.Erased), Forgets: Each(i.Forgets, func(f engram.ProjectMemories) Forgets { return Forgets(f) }),
		Elsewhere: i.Elsewhere, Waiting: i.Waiting, Rejected: notes(i.Rejected), Notes: notes(i.Notes)}
}
