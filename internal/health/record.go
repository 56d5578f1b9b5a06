package health

import (
	"fmt"
	"strings"

	"github.com/alanbuscaglia/engram/internal/text"
)

func judgeRecords(f Facts, p Policy, why string) Check {
	r := f.Records
	e := Evidence{"memories": r.Count, "journal_entries": r.Entries.Count}
	found := Finding{Check: RequiredFields, Why: why, Evidence: e}
	switch {
	case r.Count > 0:
		found.Reason = "memories_lack_required_fields"
		found.Message = text.Counted(r.Count, "memory lacks a field that a replica asks for.", "memories lack a field that a replica asks for.")
		found.Next = "Give each what it lacks, with engram update."
	case r.Entries.Count > 0:
		found.Reason = "journal_entries_lack_required_fields"
		found.Message = text.Counted(r.Entries.Count, "journal entry cannot be read by a replica.", "journal entries cannot be read by a replica.")
		found.Next = "Another program wrote to the journal, or the database was damaged. Keep a copy of the file, and take what is missing from a backup."
	default:
		return fine(RequiredFields, why, e)
	}
	c := bad(Blocked, found)
	for _, m := range r.Lacking {
		c.Findings = append(c.Findings, single(c.Finding, fmt.Sprintf("Memory #%d lacks: %s.", m.Num, strings.Join(m.Fields, ", ")),
			Evidence{"memory": m.Num, "missing_fields": m.Fields}))
	}
	for _, seq := range r.Entries.First {
		c.Findings = append(c.Findings, single(c.Finding, fmt.Sprintf("Journal entry %d has no operation, record or time, or its old values are not JSON.", seq),
			Evidence{"journal_entry": seq}))
	}
	return c
}

func judgeRelations(f Facts, p Policy, why string) Check {
	r := f.Relations
	e := Evidence{"relations": r.Count}
	if r.Count == 0 {
		return fine(Nowhere, why, e)
	}
	e["numbers"] = r.First
	return bad(Warning, Finding{Check: Nowhere, Reason: "relations_to_nowhere", Why: why, Evidence: e,
		Message: text.Counted(r.Count, "relation leads to a missing memory.", "relations lead to missing memories."),
		Next:    "engram doctor --fix removes them, after a backup."})
}
