package capture

import (
	"regexp"
	"strings"
	"sync"

	"github.com/alanbuscaglia/engram"
)

// Decisions are recognised by words of deciding ("we decided to …", "decision: …", "hemos decidido
// …"), or by words of choosing ("let's go with …", "vamos con …") with a reason. A choice without a
// reason is only the next step of the work.

// lead is what may precede the deciding words.
const lead = `(?i)^(?:(?:so|ok|okay|yes|yeah|right|then|and|but|also|well|hence|therefore|finally|in the end|` +
	`for now we|agreed|sounds good|perfect|great|good|fine|alright|after [^,]{3,80}|for [^,]{3,80}|` +
	`given [^,]{3,80}|entonces|vale|bueno|perfecto|al final|por eso|sí|dale|de acuerdo|` +
	`después de [^,]{3,80}|para [^,]{3,80})[,.:;—-]?\s+){0,2}`

type decisions struct {
	label   pattern // "decision: …"
	decided pattern // decided, with or without a reason
	alone   pattern // decided by one side: an agent's next step unless it gives a reason
	chosen  pattern // a choice with a reason

	hedged, passing, pointing *regexp.Regexp
}

var ofDecisions = sync.OnceValue(func() decisions {
	return decisions{
		label: pattern{[]string{"deci"}, regexp.MustCompile(`(?i)^(?:key |design |final |architecture |our )?(?:decision(?: made)?|decided|decisión|` +
			`decidido)\s*(?::|—|–| - )\s*`)},
		decided: pattern{[]string{"decid", "settled on", "agreed", "opted", "chose", "acord", "opta", "elegi", "nos quedamos"}, regexp.MustCompile(lead +
			`(?:(?:we|the team)(?:'ve| have|'d| had)?(?: (?:now|finally|also|just|already|therefore|` +
			`both))? (?:decided|settled on|agreed (?:to|on|that)|opted (?:for|to)|chose(?:n)?(?: to)?)(?: (?:to|` +
			`on|that|against|for|not))?|it was decided (?:to|that)|` +
			`(?:hemos |ya )?(?:decidimos|decidido|acordamos|acordado|optamos|optado|elegimos|elegido)(?: (?:que|no|por|usar|en))?|se (?:decidió|acordó)|nos quedamos con) `)},
		alone: pattern{[]string{"decid", "chose", "went with", "opted", "elegí", "opté"}, regexp.MustCompile(lead +
			`(?:i(?:'ve| have)?(?: (?:just|already|also|finally))? (?:decided (?:to|on|against|that)|chose|` +
			`chosen|went with|opted (?:for|to)|picked)|(?:he decidido|decidí|elegí|opté por)) `)},
		chosen: pattern{[]string{
			"let's", "let us", "go with", "going with", "we'll", "we will", "we use", "we keep", "we are going",
			"we're going", "vamos", "usemos", "usaremos", "usamos", "sigamos", "let’s", "quedémonos",
		}, regexp.MustCompile(lead +
			`(?:(?:let['’]?s|let us|we(?:'ll| will| should)|i(?:'d| would) say let['’]?s) (?:go with|use|` +
			`stick with|stay with|keep|switch to|move to|adopt|standardi[sz]e on|drop|avoid|store|not )|(?:we|` +
			`i)(?:'re| are|'m| am) (?:going with|going to (?:use|keep|switch to|stick with|store)|switching to|` +
			`moving to)|i(?:'ll| will) go with|we (?:use|keep|avoid|store)|` +
			`(?:vamos con|vamos a (?:usar|mantener|guardar|seguir con)|usemos|usaremos|usamos|sigamos con|quedémonos con|mejor (?:usamos|usemos))) `)},
		hedged: regexp.MustCompile(`(?i)\b(?:if|whether|unless|until|once|should|could|would|might|maybe|perhaps|not yet|` +
			`n['’]t (?:yet )?(?:decided|chosen|agreed)|never|you decided|quizás|quizá|tal vez|todavía no|` +
			`aún no)\b`),
		passing: regexp.MustCompile(`(?i)\b(?:for now|for the moment|first step|next step|quick check|just to (?:see|check)|temporarily|` +
			`grep|sed|ripgrep|awk|the (?:read|edit|write|bash|grep|task|todo) tool|subagents?|sub-agents?|` +
			`a (?:quick|small|temporary|throwaway) script|this session|scratch|por ahora|de momento|` +
			`por el momento)\b`),
		pointing: regexp.MustCompile(`(?i)^(?:it|that|this|those|these|them|one|both|(?:the |this |that |your )?(?:option|approach|` +
			`variant|plan|choice|proposal|opción|opcion) (?:\w|one|two|three|number \w)|(?:the|this|that|la|` +
			`esa) (?:option|approach|variant|plan|choice|proposal|opción)|(?:the )?(?:first|second|third|last|` +
			`former|latter|other|same)(?: (?:one|option|approach))?|eso|esto|esa|ese|la (?:primera|segunda|` +
			`tercera|última)|el (?:primero|segundo|tercero|último)|yours|your (?:suggestion|proposal|plan)|` +
			`tu propuesta)\b(?:[ ,.;:!]|$)`),
	}
})

func decided(t Turn) []Proposal {
	d := ofDecisions()
	lower := strings.ToLower(t.Text)
	if !d.label.may(lower) && !d.decided.may(lower) && !d.alone.may(lower) && !d.chosen.may(lower) {
		return nil
	}
	var all []Proposal
	for _, p := range prose(t.Text) {
		for i := 0; i < len(p); i++ {
			what, why, ok := d.read(p[i], t.Role)
			if !ok {
				continue
			}
			content, reason := p[i], reasons().FindStringIndex(what)
			if i+1 < len(p) && (reason == nil || goesOn().MatchString(p[i+1])) && goesOn().MatchString(p[i+1]) {
				content += " " + p[i+1]
				i++
			} else if reason == nil && why == byChoice {
				continue
			}
			if words(content) < leastDecision {
				continue
			}
			title := what
			if reason != nil && words(what[:reason[0]]) >= 2 {
				title = what[:reason[0]]
			}
			all = append(all, Proposal{Type: engram.TypeDecision, Title: headline(title), Content: content, Why: why, Importance: 0.7, At: t.At})
		}
	}
	return all
}

const leastDecision = 6 // words of a decision that can stand alone

// Reasons shown for a proposed decision.
const (
	byLabel    = "it is labelled as a decision"
	byDeciding = "it says that this was decided"
	byChoice   = "a choice with its reason"
)

// read parses a sentence as a decision: the text after the deciding words, and how it was
// recognised. byChoice requires a reason.
func (d decisions) read(s string, by Role) (what, why string, ok bool) {
	if asks(s) {
		return "", "", false
	}
	for _, kind := range []struct {
		pattern
		why string
	}{{d.label, byLabel}, {d.decided, byDeciding}, {d.alone, byDeciding}, {d.chosen, byChoice}} {
		at := kind.find.FindStringIndex(s)
		if at == nil {
			continue
		}
		what, why = strings.TrimSpace(s[at[1]:]), kind.why
		said := s[:at[1]]
		if kind.find == d.alone.find && by != RolePerson {
			why = byChoice
		}
		switch {
		case words(what) < 2, d.pointing.MatchString(what), undecided(what):
			return "", "", false
		case why != byLabel && (d.hedged.MatchString(said) && !strings.Contains(strings.ToLower(said), "should") || d.passing.MatchString(s)):
			return "", "", false
		case strings.HasSuffix(strings.ToLower(strings.TrimSpace(said)), " against"), strings.HasSuffix(strings.ToLower(strings.TrimSpace(said)), " not"):
			what = "not " + strings.TrimPrefix(what, "to ")
		}
		return what, why, true
	}
	return "", "", false
}

func undecided(what string) bool {
	first := strings.ToLower(strings.Trim(strings.Fields(what)[0], ".,:;()*_"))
	switch first {
	case "pending", "tbd", "needed", "open", "none", "n/a", "required", "yours", "unclear", "pendiente", "ninguna", "abierta", "whether", "what", "which", "how":
		return true
	}
	return false
}
