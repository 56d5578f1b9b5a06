package cli

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/alanbuscaglia/engram"
	"github.com/alanbuscaglia/engram/internal/document"
	"github.com/alanbuscaglia/engram/internal/engine"
	"github.com/alanbuscaglia/engram/internal/render"
)

// vaultDoc is the answer of `obsidian-export`, and of `export` into a folder of notes.
type vaultDoc struct {
	Vault       string            `json:"vault"`   // as it was named
	Format      string            `json:"format"`  // obsidian or markdown: how links look
	Project     string            `json:"project"` // "" is every one
	DryRun      bool              `json:"dry_run"` // nothing was written
	Created     int               `json:"created"` // notes of memories, as in what follows
	Updated     int               `json:"updated"`
	Deleted     int               `json:"deleted"`      // of memories that were forgotten or erased
	Skipped     int               `json:"skipped"`      // they say all this already
	Hubs        int               `json:"hubs"`         // notes of sessions, topics and groups that there are now
	HubsWritten int               `json:"hubs_written"` // of them
	HubsDeleted int               `json:"hubs_deleted"`
	Edited      []string          `json:"edited"`           // notes that were left as they are, because somebody edited them
	HubsEdited  []string          `json:"hubs_edited"`      // likewise, of sessions, topics and groups
	Missing     []string          `json:"missing"`          // notes that somebody deleted, and that were not written again
	Aside       []string          `json:"aside"`            // what was edited, where --force wrote over it
	Noted       []vaultRemarkDoc  `json:"noted"`            // what was passed over, and why
	Import      *vaultImportedDoc `json:"import,omitempty"` // with --import: what was taken in
}

func (d *vaultDoc) take(x engine.VaultExported) {
	d.Project, d.Created, d.Updated, d.Deleted, d.Skipped = x.Project, x.Created, x.Updated, x.Deleted, x.Skipped
	d.Hubs, d.HubsWritten, d.HubsDeleted = x.Hubs.Standing, x.Hubs.Written, x.Hubs.Deleted
	d.Edited, d.HubsEdited = document.OrEmpty(x.Edited), document.OrEmpty(x.Hubs.Edited)
	d.Missing, d.Aside = document.OrEmpty(x.Missing), document.OrEmpty(x.Aside)
	d.Noted = document.Each(x.Remarks, func(r engram.NoteRemark) vaultRemarkDoc { return vaultRemarkDoc{r.Path, r.Reason} })
}

// vaultRemarkDoc is something in a vault that was passed over.
type vaultRemarkDoc struct {
	Path   string `json:"path"` // in the vault
	Reason string `json:"reason"`
}

// changed reports that anything was written or taken in.
func (d vaultDoc) changed() bool {
	n := d.Created + d.Updated + d.Deleted + d.HubsWritten + d.HubsDeleted + len(d.Aside)
	if d.Import != nil {
		n += d.Import.Revised + d.Import.Created + d.Import.Forgotten + d.Import.Conflicts
	}
	return n > 0
}

// waits is what somebody should look at, as one text that is compared.
func (d vaultDoc) waits() string {
	text := fmt.Sprint(d.Edited, d.HubsEdited, d.Missing, d.Aside, d.Noted)
	if d.Import != nil {
		for _, i := range d.Import.Items {
			if i.Act != string(engine.VaultRevised) && i.Act != string(engine.VaultCreated) {
				text += fmt.Sprint(i)
			}
		}
	}
	return text
}

func (d vaultDoc) write(b *strings.Builder) {
	if d.Import != nil {
		d.Import.write(b)
	}
	what := "complete"
	if d.DryRun {
		what = "dry run"
	}
	name := "Obsidian"
	if d.Format == "markdown" {
		name = "Markdown"
	}
	fmt.Fprintf(b, "%s export %s\n", name, what)
	fmt.Fprintf(b, "  Created: %d\n  Updated: %d\n  Deleted: %d\n  Skipped: %d\n  Hubs:    %d\n", d.Created, d.Updated, d.Deleted, d.Skipped, d.Hubs)
}

func (d vaultDoc) writeLine(b *strings.Builder) {
	fmt.Fprintf(b, "Exported: %d created, %d updated, %d deleted, %d skipped, %d hubs\n", d.Created, d.Updated, d.Deleted, d.Skipped, d.Hubs)
}

// vaultImportedDoc is the answer of `import` of a folder of notes.
type vaultImportedDoc struct {
	Vault     string         `json:"vault"`      // as it was named
	Project   string         `json:"project"`    // "" is every one
	DryRun    bool           `json:"dry_run"`    // nothing was changed
	Revised   int            `json:"revised"`    // memories that say what their notes say
	Created   int            `json:"created"`    // memories that notes became
	Forgotten int            `json:"forgotten"`  // with --forget-deleted
	Conflicts int            `json:"conflicts"`  // notes of memories that were changed, too
	Missing   int            `json:"missing"`    // notes that were deleted, and whose memories stay
	Rejected  int            `json:"rejected"`   // notes that cannot come in
	Unchanged int            `json:"unchanged"`  // notes that were edited and say what their memories do
	Op        int64          `json:"op"`         // the last operation that undo takes back; 0: nothing was changed
	Ops       int            `json:"ops"`        // how many there were
	FirstOp   int64          `json:"first_op"`   // the first of verb vault: undo FIRST_OP..OP --verb vault; 0: there is none
	CarriedOp int64          `json:"carried_op"` // that brought in what notes of other databases carry; 0: there is none
	Items     []vaultItemDoc `json:"items"`      // what was done with each note
}

// vaultItemDoc is one note of an import.
type vaultItemDoc struct {
	Path   string   `json:"path"` // in the vault
	Line   int      `json:"line"` // that reason is about; 0: the note as a whole
	Act    string   `json:"act"`  // revised, created, conflict, missing, forgotten, rejected or noted
	ID     string   `json:"id"`   // of the memory; "" when the note is none
	Num    int64    `json:"num"`
	Fields []string `json:"fields"` // that were changed, or are in conflict
	Code   string   `json:"code"`   // what is wrong: invalid, conflict or unavailable; "" for nothing
	Reason string   `json:"reason"`
	Aside  string   `json:"aside"` // where the text of the note is kept; "" for where it was
}

func vaultImportedOf(v engine.VaultImported, dir string, dryRun bool) vaultImportedDoc {
	return vaultImportedDoc{dir, v.Project, dryRun, v.Count(engine.VaultRevised), v.Count(engine.VaultCreated), v.Count(engine.VaultForgot),
		v.Count(engine.VaultConflict), v.Count(engine.VaultMissing), v.Count(engine.VaultRejected), v.Unchanged, v.Op, v.Ops, v.First, v.Carried,
		document.Each(v.Items, func(i engine.VaultItem) vaultItemDoc {
			return vaultItemDoc{i.Path, i.Line, string(i.Act), string(i.ID), i.Num, document.OrEmpty(i.Fields), string(i.Code), i.Reason, i.Aside}
		})}
}

func (d vaultImportedDoc) write(b *strings.Builder) {
	would := ""
	if d.DryRun {
		would = " (dry run)"
	}
	fmt.Fprintf(b, "Imported from %s%s\n", d.Vault, would)
	fmt.Fprintf(b, "  Revised: %d\n  Created: %d\n", d.Revised, d.Created)
	for _, c := range []struct {
		name string
		n    int
	}{{"Forgotten", d.Forgotten}, {"Conflicts", d.Conflicts}, {"Missing", d.Missing}, {"Rejected", d.Rejected}} {
		if c.n > 0 {
			fmt.Fprintf(b, "  %s: %d\n", c.name, c.n)
		}
	}
	d.writeForgotten(b)
	var undo []string
	if d.FirstOp == d.Op && d.Op != 0 {
		undo = append(undo, fmt.Sprintf("engram undo %d", d.Op))
	} else if d.FirstOp != 0 {
		undo = append(undo, fmt.Sprintf("engram undo %d..%d --verb vault", d.FirstOp, d.Op))
	}
	if d.CarriedOp != 0 {
		undo = append(undo, fmt.Sprintf("engram undo %d", d.CarriedOp))
	}
	if len(undo) > 0 {
		fmt.Fprintf(b, "To undo: %s\n", strings.Join(undo, " and "))
	}
}

// writeForgotten names the memories that went with their notes.
func (d vaultImportedDoc) writeForgotten(b *strings.Builder) {
	what, told := "was forgotten", 0
	if d.DryRun {
		what = "would be forgotten"
	}
	for _, i := range d.Items {
		if i.Act != string(engine.VaultForgot) {
			continue
		}
		if told++; told > mostWarnings {
			fmt.Fprintf(b, "and %d more\n", d.Forgotten-mostWarnings)
			return
		}
		fmt.Fprintf(b, "Memory #%d %s: %s was deleted\n", i.Num, what, render.Line(i.Path, 0))
	}
}

func (d vaultImportedDoc) writeLine(b *strings.Builder) {
	if d.Revised+d.Created+d.Forgotten+d.Conflicts > 0 {
		fmt.Fprintf(b, "Imported: %d revised, %d created, %d forgotten, %d in conflict\n", d.Revised, d.Created, d.Forgotten, d.Conflicts)
	}
}

// problem is the error with which an import ends of which something needs somebody.
func (d vaultImportedDoc) problem() error {
	switch {
	case d.Conflicts > 0:
		return engram.Errorf(engram.CodeConflict, "%s in conflict", count(d.Conflicts, "note is", "notes are")).
			WithHint("their memories stay unchanged; see the reasons above")
	case d.Rejected > 0:
		code := engram.CodeInvalid
		if slices.ContainsFunc(d.Items, func(i vaultItemDoc) bool { return i.Code == string(engram.CodeUnavailable) }) {
			code = engram.CodeUnavailable
		}
		return engram.Errorf(code, "%s could not be imported", count(d.Rejected, "note", "notes")).
			WithHint("see the reasons above")
	}
	return nil
}

// mostWarnings is how many notes are named of a kind: the JSON has all of them.
const mostWarnings = 20

// warnVault names what somebody should look at.
func (p *program) warnVault(d vaultDoc) {
	if p.json {
		return
	}
	told := map[string]bool{}
	if d.Import != nil {
		p.warnItems(d.Import.Items)
		for _, i := range d.Import.Items {
			told[i.Path] = true
		}
	}
	for _, r := range d.Noted {
		if !told[r.Path] {
			p.warn(render.Plain(r.Path + ": " + r.Reason))
		}
	}
	d.Missing = slices.DeleteFunc(slices.Clone(d.Missing), func(path string) bool { return told[path] })
	p.warnPaths(d.Edited, "was edited and is left as it is; use --import to import it")
	p.warnPaths(d.HubsEdited, "was edited and is left as it is; use --force to overwrite it")
	p.warnPaths(d.Missing, "was deleted and is not written again; use --force to write it")
	p.warnPaths(d.Aside, "contains the edited text")
}

func (p *program) warnPaths(paths []string, what string) {
	for i, path := range paths {
		if i == mostWarnings {
			p.warn(fmt.Sprintf("and %d more", len(paths)-i))
			return
		}
		p.warn(render.Plain(path + " " + what))
	}
}

// warnItems tells the notes that did not simply come in.
func (p *program) warnItems(items []vaultItemDoc) {
	for _, i := range items {
		if i.Reason == "" || i.Act == string(engine.VaultForgot) {
			continue // the answer tells what was forgotten
		}
		where := i.Path
		if i.Line > 0 {
			where = fmt.Sprintf("%s:%d", i.Path, i.Line)
		}
		text := where
		if i.Act != string(engine.VaultNoted) {
			text += " " + i.Act
		}
		if len(i.Fields) > 0 {
			text += " (" + strings.Join(i.Fields, ", ") + ")"
		}
		text += ": " + i.Reason
		if i.Act == string(engine.VaultMissing) {
			text = fmt.Sprintf("%s was deleted, and memory #%d is kept: forget it with engram forget %d, or rewrite the note with obsidian-export --force", i.Path, i.Num, i.Num)
		}
		if i.Aside != "" {
			text += "; " + cmp.Or(i.Aside, i.Path) + " contains the text of the note"
		}
		p.warn(render.Plain(text))
	}
}
