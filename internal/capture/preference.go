package capture

import (
	"regexp"
	"strings"
	"sync"

	"github.com/alanbuscaglia/engram"
)

// mostPreference is the size limit of messages with preferences: longer ones were pasted.
const mostPreference = 2000

type preferences struct {
	standing pattern // how to work from now on, or never again
	not      *regexp.Regexp
}

// polite is what may precede a preference.
const polite = `^(?:(?:please|pls|no|nope|ok|okay|hey|btw|by the way|also|and|but|again|remember|note|so|yes|` +
	`one thing|as i said|like i said|in this (?:repo|repository|project|codebase)|in go|for (?:go|tests|` +
	`commits|docs|python|typescript)(?: files| code)?|por favor|oye|ojo|además|y|pero|recuerda|recordá|` +
	`en este (?:repo|proyecto))[,:;.!—-]*\s+){0,3}`

var ofPreferences = sync.OnceValue(func() preferences {
	return preferences{
		standing: pattern{[]string{
			"always", "never", "prefer", "don't", "dont", "do not", "don’t", "from now on", "in the future",
			"in future", "next time", "stop ", "remember ", "i like", "i want you", "rather", "siempre", "nunca",
			"prefiero", "a partir de ahora", "de ahora en adelante", "la próxima vez", "no vuelvas", "recuerda",
			"recordá", "acordate", "deja de", "dejá de", "convention", "make sure", "in this ", "instead of",
			"use ", "usa", " not ",
		},
			regexp.MustCompile(`(?i)` + polite + `(?:` +
				`(?:you (?:must|should) )?(?:always|never) (?:\w+ly )?[a-z]{2,}|` +
				`(?:from now on|in (?:the )?future|going forward|next time|in this (?:repo|repository|project|codebase))\b[^?]{8,}|` +
				`i(?:'d| would)?(?: really| strongly| generally| usually| always)? (?:prefer|rather)\b|i(?:'d|` +
				` would) rather you\b|i like (?:my|the|to have)\b|i (?:always )?want you to (?:always|never|stop)\b|` +
				`i (?:hate|dislike|don't like|do not like)(?: it)? when you\b|` +
				`(?:don['’]?t|do not)(?: you)? (?:ever )?\w[^?]* (?:again|anymore|any more|ever|` +
				`without asking(?: me)?(?: first)?|in this (?:repo|repository|project|codebase))\b|(?:don['’]?t|` +
				`do not) ever\b|` +
				`stop (?:\w+ing)\b|(?:make sure (?:you|to)|remember to|you (?:must|should)) (?:always|never)\b|remember (?:that we|that i|that this (?:repo|project)|to always)\b|` +
				`(?:no,? )?use [^,.?]{2,60}(?:, not| not| instead of) [^,.?]{2,60}[.!]?$|(?:our|the) convention (?:here )?is\b|we (?:always|never) \w+|` +
				`(?:siempre|nunca|jamás) (?:que )?(?:us|ha|pon|escrib|ejecut|corr|pid|pregunt|toqu|toc|commit|hag|` +
				`me |lo |cre|dej|agreg|borr|modifi|incluy|mod|sub|responde|contest)\w*|` +
				`(?:yo )?prefiero\b|(?:a partir de ahora|de ahora en adelante|la próxima vez|en (?:este|el) (?:repo|` +
				`proyecto) (?:siempre|nunca))\b|no vuelvas a\b|(?:recuerda|recordá|acordate de) que (?:siempre|nunca|` +
				`usamos|no)\b|(?:deja|dejá) de \w+r\b|usa(?:r|mos)? [^,.?]{2,60}(?: en (?:lugar|vez) de|` +
				`, no) [^,.?]{2,60}[.!]?$)`)},
		not: regexp.MustCompile(`(?i)^(?:\W*)(?:always|never) (?:mind|seen|been|had|did|was|got|getting|failing|worked|works|fails|happens|happened|heard|tried)\b|` +
			`\b(?:prefer|rather|like)(?: to)?(?: go with| take| do)? (?:option|approach|variant|the (?:first|` +
			`second|third|last|latter|former|other)|that|this|it|those|number|#?\d|[abc]\b|your)|` +
			`prefiero (?:la (?:primera|segunda|opción)|el (?:primero|segundo)|eso|esa|ese|esto)|` +
			`\b(?:for this (?:one|task|test|time)|this time|just (?:for )?(?:now|once)|for now|only this once|solo por esta vez|por esta vez|por ahora)\b|` +
			`^(?:\W*)stop (?:the|it|that|here|now|there|being|working)\b|\b(?:don['’]?t|do not) (?:do|try|touch|` +
			`say|run|use|make) (?:that|this|it|so|them)\b|next time we (?:meet|talk|speak)|next time (?:it|the|` +
			`this) (?:fails|happens|crashes)|^(?:\W*)(?:don['’]?t|do not) (?:worry|bother|forget)\b`),
	}
})

// preferred returns how a person wants the work done, if the wording goes beyond the current task.
func preferred(t Turn) []Proposal {
	if len(t.Text) > mostPreference {
		return nil
	}
	p := ofPreferences()
	if !p.standing.may(strings.ToLower(t.Text)) {
		return nil
	}
	var all []Proposal
	for _, par := range prose(t.Text) {
		for i, s := range par {
			if asks(s) || words(s) < leastPreference || words(s) > mostPreferenceWords || !p.standing.find.MatchString(s) || p.not.MatchString(s) {
				continue
			}
			content := s
			if i+1 < len(par) && goesOn().MatchString(par[i+1]) {
				content += " " + par[i+1]
			}
			all = append(all, Proposal{Type: engram.TypePreference, Title: headline(asksFor(s)), Content: content,
				Why: "how the person wants the work done", Importance: 0.7, At: t.At})
		}
	}
	return all
}

const (
	leastPreference     = 4  // words
	mostPreferenceWords = 60 // of one sentence: a longer one is a description
)

// asksFor returns a preference without polite words.
func asksFor(s string) string {
	for _, word := range []string{"please ", "no, ", "no ", "ok, ", "ok ", "also, ", "also ", "btw ", "and ", "por favor, ", "por favor "} {
		if len(s) > len(word) && strings.EqualFold(s[:len(word)], word) && !strings.HasPrefix(strings.ToLower(s), "no vuelvas") {
			return s[len(word):]
		}
	}
	return s
}
