package health

import (
	"fmt"

	"github.com/alanbuscaglia/engram/internal/text"
)

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
