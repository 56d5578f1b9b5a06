package health

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/alanbuscaglia/engram/internal/text"
)

// KeptSecrets are recognized secrets in stored texts, without the deliberately kept ones.
type KeptSecrets struct {
	Part
	Rules, Current string         // version of the rules that everything was last checked with, and of the present ones
	Looked         bool           // checked now; otherwise checked by the present rules before
	Kinds          map[string]int // number by name of the rule
	Memories       Cases          // in the current text
	Past           Cases          // memories with secrets in earlier texts or the journal
	Prompts        Cases
	Relations      Cases
	Sessions       int // in their summaries
}

// Texts returns the number of things with secrets.
func (s KeptSecrets) Texts() int {
	return s.Memories.Count + s.Past.Count + s.Prompts.Count + s.Relations.Count + s.Sessions
}

func judgeSecrets(f Facts, p Policy, why string) Check {
	s := f.Secrets
	e := Evidence{"rules": s.Current, "looked_at_by": s.Rules, "looked": s.Looked, "memories": s.Memories.Count, "past": s.Past.Count,
		"prompts": s.Prompts.Count, "relations": s.Relations.Count, "sessions": s.Sessions}
	found := Finding{Check: Secrets, Why: why, Evidence: e}
	if s.Texts() == 0 {
		if s.Rules == s.Current {
			return fine(Secrets, why, e)
		}
		found.Reason, found.Message = "secret_rules_older", "Stored texts were last checked by older rules. The present rules find no secret in them."
		found.Next = "engram doctor --fix or a sleep records that, so that texts are not checked again whenever they are shown."
		return bad(Warning, found)
	}
	var kinds []string
	for _, kind := range slices.Sorted(maps.Keys(s.Kinds)) {
		kinds = append(kinds, fmt.Sprintf("%s %d", kind, s.Kinds[kind]))
	}
	e["kinds"] = s.Kinds
	found.Reason = "secrets_kept"
	found.Message = text.Counted(s.Texts(), "text has", "texts have") + " secrets that were not kept on purpose: " + strings.Join(kinds, ", ") + "."
	found.Next = "engram doctor --fix removes them, after a backup that still has them. Save intended secrets with --allow-secret. Replace secrets that may have leaked."
	c := bad(Warning, found)
	for _, k := range []struct {
		Cases
		says, name string
	}{{s.Memories, "Memory #%d has secrets.", "memory"}, {s.Past, "Earlier texts of memory #%d have secrets.", "memory"},
		{s.Prompts, "Prompt #%d has secrets.", "prompt"}, {s.Relations, "Relation #%d has secrets.", "relation"}} {
		for _, num := range k.First[:min(len(k.First), p.Examples-len(c.Findings))] {
			c.Findings = append(c.Findings, single(c.Finding, fmt.Sprintf(k.says, num), Evidence{k.name: num}))
		}
	}
	return c
}
