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

// kindOf is a kind of cases with its words.
type kindOf struct {
	Cases
	name      string // in evidence
	one, many string
}

func judgeIndex(f Facts, p Policy, why string) Check {
	x := f.Index
	kinds := []kindOf{
		{x.Missing, "missing", "memory is not found by its words", "memories are not found by their words"},
		{x.Dead, "dead", "forgotten or deleted memory is still in it", "forgotten or deleted memories are still in it"},
		{x.Doubled, "doubled", "memory is in it twice", "memories are in it twice"},
		{x.Moved, "moved", "memory is in it under another project or time", "memories are in it under another project or time"},
	}
	found := Finding{Check: IndexInStep, Why: why, Evidence: Evidence{"memories": x.Live, "indexed": x.Indexed, "lists": x.Words},
		Next: "engram doctor --fix rebuilds the index from the memories, after a backup. The memories do not change."}
	if x.Broken != nil {
		found.Reason, found.Message = "index_damaged", "Cannot read the index of words: "+sentence(x.Broken)
		found.Evidence["error"] = x.Broken.Error()
		return bad(Failed, found)
	}
	return outOfStep(Failed, found, "index_out_of_step", "The index of words is", kinds)
}

func judgeVectors(f Facts, p Policy, why string) Check {
	v := f.Vectors
	e := Evidence{"model": v.Model, "memories": v.Live, "with_vector": v.Have, "former_models": len(v.Former)}
	found := Finding{Check: VectorsInStep, Why: why, Evidence: e,
		Next: "engram doctor --fix adds missing vectors and rebuilds wrong ones, after a backup. A server adds missing ones by itself."}
	if v.Model == "" {
		return fine(VectorsInStep, why, e) // searching by words alone is a choice
	}
	if v.Broken != nil {
		found.Reason, found.Message = "vectors_damaged", "Cannot read the codes of the vectors: "+sentence(v.Broken)
		e["error"] = v.Broken.Error()
		return bad(Failed, found)
	}
	c := outOfStep(Warning, found, "vectors_out_of_step", "The vectors are", []kindOf{
		{v.Missing, "missing", "memory has no vector", "memories have no vector"},
		{v.Stale, "stale", "vector belongs to a forgotten or deleted memory", "vectors belong to forgotten or deleted memories"},
		{v.Misfit, "misfit", "vector does not have the model's length", "vectors do not have the model's length"},
		{v.OffCode, "off_code", "vector cannot be found by its code", "vectors cannot be found by their codes"},
	})
	if c.Result == OK && len(v.Former) > 0 {
		found.Reason = "former_model"
		found.Message = "There are vectors of a model that is no longer in force: " + v.Former[0] + "."
		return bad(Warning, found)
	}
	return c
}

// outOfStep returns found with each kind of cases as a finding; fine for no cases.
func outOfStep(result Status, found Finding, reason, what string, kinds []kindOf) Check {
	sum := 0
	for _, k := range kinds {
		sum += k.Count
		found.Evidence[k.name] = k.Count
	}
	if sum == 0 {
		return fine(found.Check, found.Why, found.Evidence)
	}
	found.Reason = reason
	var cases []Finding
	for _, k := range kinds {
		if k.Count > 0 {
			message := text.Counted(k.Count, k.one, k.many) + "."
			cases = append(cases, Finding{Check: found.Check, Severity: result.severity(), Reason: string(found.Check) + "_" + k.name,
				Message: message, Why: found.Why, Evidence: Evidence{"count": k.Count, "memories": k.First}, Next: found.Next})
		}
	}
	found.Message = what + " not in step with the memories: " + cases[0].Message
	if more := len(cases) - 1; more > 0 {
		found.Message += fmt.Sprintf(" And %s.", text.Counted(more, "other kind of case", "other kinds of cases"))
	}
	c := bad(result, found)
	c.Findings = cases
	return c
}

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
