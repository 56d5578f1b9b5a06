package health

import (
	"fmt"
	"strings"

	"github.com/alanbuscaglia/engram"
	"github.com/alanbuscaglia/engram/internal/text"
)

// restore is the advice for a damaged file. The doctor does not do it: the file may hold more than
// the newest backup.
const restore = "Stop the programs that use the database, keep a copy of the file with its -wal and -shm, and replace it by the newest file in the backups folder. Nothing was changed."

// unreadable reports a file that could not be read.
func unreadable(id ID, why string, err error) Check {
	f := Finding{Check: id, Reason: string(id) + "_unreadable", Message: "Cannot read the database: " + sentence(err), Why: why,
		Evidence: Evidence{"error": err.Error(), "code": string(engram.CodeOf(err))}, Next: restore, Confirm: true}
	if hint := engram.HintOf(err); hint != "" && engram.CodeOf(err) != engram.CodeInternal {
		f.Next, f.Confirm = strings.ToUpper(hint[:1])+hint[1:]+".", false
	}
	return bad(Failed, f)
}

// sentence formats an error as a sentence.
func sentence(err error) string { return strings.TrimSuffix(err.Error(), ".") + "." }

func judgeDamage(f Facts, p Policy, why string) Check {
	d := f.Damage
	e := Evidence{"full": d.Full, "problems": len(d.Problems), "rows_without_parent": d.Orphans}
	if d.Full {
		e["altered_memories"] = d.Altered.Count
	}
	found := Finding{Check: Integrity, Why: why, Evidence: e, Next: restore, Confirm: true}
	switch {
	case len(d.Problems) > 0:
		found.Reason, found.Message = "database_damaged", "The database is damaged: "+strings.TrimSuffix(d.Problems[0], ".")+"."
	case d.Altered.Count > 0:
		found.Reason = "content_altered"
		found.Message = fmt.Sprintf("%s not match what was saved.", text.Counted(d.Altered.Count, "memory does", "memories do"))
		found.Next = "Look at them with engram get, and take their text from a backup. " + restore
	case d.Orphans > 0:
		found.Reason = "rows_without_parent"
		found.Message = fmt.Sprintf("%s to missing rows (%s).", text.Counted(d.Orphans, "row refers", "rows refer"), strings.Join(d.Tables, ", "))
		found.Next = "Another program wrote to the database without its rules. Keep a copy of the file, and take what is missing from a backup."
	default:
		return fine(Integrity, why, e)
	}
	c := bad(Failed, found)
	for _, problem := range d.Problems {
		c.Findings = append(c.Findings, single(c.Finding, problem, Evidence{"problem": problem}))
	}
	for _, num := range d.Altered.First {
		c.Findings = append(c.Findings, single(c.Finding, fmt.Sprintf("The content of memory #%d does not match its digest.", num), Evidence{"memory": num}))
	}
	return c
}

// single returns one case of a finding, with its own message and evidence.
func single(f Finding, message string, e Evidence) Finding {
	f.Message, f.Evidence = message, e
	return f
}
