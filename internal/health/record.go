package health

import (
	"fmt"
	"strings"
)

func judgeRecords(f Facts, p Policy, why string) Check {
	r := f.Records
	e := Evidence{"memories": r.Count}
	if r.Count == 0 {
		return fine(RequiredFields, why, e)
	}
	c := bad(Blocked, Finding{Check: RequiredFields, Reason: "memories_lack_required_fields", Why: why, Evidence: e,
		Message: these(r.Count, "memory lacks a field that a replica asks for.", "memories lack a field that a replica asks for."),
		Next:    "Give each what it lacks, with engram update."})
	for _, m := range r.Lacking {
		c.Findings = append(c.Findings, single(c.Finding, fmt.Sprintf("Memory #%d lacks: %s.", m.Num, strings.Join(m.Fields, ", ")),
			Evidence{"memory": m.Num, "missing_fields": m.Fields}))
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
		Message: these(r.Count, "relation leads to a memory that is not there.", "relations lead to memories that are not there."),
		Next:    "engram doctor --fix removes them, after a backup."})
}
