package topic

import (
	"cmp"
	"strings"

	"github.com/alanbuscaglia/engram"
)

// maxFamily leaves room for a whole segment and the slash.
const maxFamily = engram.MaxTopicKey - maxSegment - 1

// familyOf returns the family for a memory of this type and text.
func familyOf(typ, text string) string {
	typ = strings.ToLower(strings.TrimSpace(typ))
	if f := cmp.Or(familyOfType(typ), familyOfText(text)); f != "" {
		return f
	}
	// A slash in a custom type would make a third level.
	own := strings.Trim(cut(strings.ReplaceAll(Normalize(typ), "/", "-"), maxFamily), "-")
	if own == "" || own == string(engram.TypeManual) {
		return "topic"
	}
	return own
}

func familyOfType(typ string) string {
	switch typ {
	case "architecture", "design", "adr", "refactor":
		return "architecture"
	case "bug", "bugfix", "fix", "incident", "hotfix":
		return "bug"
	case "decision":
		return "decision"
	case "pattern", "convention", "guideline":
		return "pattern"
	case "config", "setup", "infra", "infrastructure", "ci":
		return "config"
	case "discovery", "investigation", "root_cause", "root-cause":
		return "discovery"
	case "learning", "learn":
		return "learning"
	case "session_summary":
		return "session"
	}
	return ""
}

// familyOfText returns the family with the lowest rank that a word in text suggests; "" for none.
func familyOfText(text string) string {
	best, name := noRank, ""
	for word := range strings.FieldsFuncSeq(strings.ToLower(text), func(r rune) bool { return !isWord(r) }) {
		if rank, f := wordFamily(word); rank < best {
			best, name = rank, f
		}
	}
	return name
}

const noRank = 99

// wordFamily returns the family that a word suggests, and its rank among families of the same text:
// the lowest wins.
func wordFamily(word string) (rank int, family string) {
	switch word {
	case "bug", "bugs", "bugfix", "fix", "fixes", "fixed", "fixing", "hotfix", "crash", "crashes", "crashed", "panic",
		"panics", "error", "errors", "regression", "deadlock", "leak", "broken", "incident", "outage", "arregla", "fallo":
		return 1, "bug"
	case "architecture", "architectural", "design", "designed", "refactor", "refactored", "refactoring", "adr", "module",
		"modules", "layer", "layers", "microservice", "monolith", "arquitectura":
		return 2, "architecture"
	case "decision", "decisions", "decide", "decided", "chose", "chosen", "choose", "agreed", "tradeoff", "rejected",
		"decidimos", "decisión":
		return 3, "decision"
	case "pattern", "patterns", "convention", "conventions", "guideline", "guidelines", "naming", "idiom", "style",
		"patrón", "convención":
		return 4, "pattern"
	case "config", "configs", "configuration", "configure", "configured", "setup", "setting", "settings", "env",
		"environment", "infra", "infrastructure", "docker", "kubernetes", "ci", "pipeline", "deploy", "deployment",
		"configuración":
		return 5, "config"
	case "discovery", "discovered", "found", "investigation", "investigated", "cause", "finding", "findings",
		"descubrimiento", "causa":
		return 6, "discovery"
	case "learning", "learnings", "learned", "learnt", "lesson", "lessons", "insight", "aprendizaje", "aprendizajes":
		return 7, "learning"
	}
	return noRank, ""
}
