package capture

import (
	"regexp"
	"strings"
	"sync"

	"github.com/alanbuscaglia/engram"
)

// Most subjects describe a change. A subject with a decision or reason must name it: that something
// was decided ("decided to …", "settle on …"), the rejected alternative ("… instead of …", "switch
// from … to …"), a cause ("because", "due to") or, for a choice, a purpose ("to avoid …", "so that
// …"). Verbs that show, add or move things are never choices.

type subjects struct {
	area, quoted                                       *regexp.Regexp // parts that the subject does not say itself
	settled, chooses, other, only, from, cause, effect *regexp.Regexp
	given                                              *regexp.Regexp // up, in favour of another
	code                                               *regexp.Regexp // a mere rename in code is not worth a memory
	began, passing                                     *regexp.Regexp
}

var ofSubjects = sync.OnceValue(func() subjects {
	return subjects{
		area:   regexp.MustCompile(`^[\w./,* -]{1,40}(?:\([^)]*\))?!?:\s+`),
		quoted: regexp.MustCompile("\"[^\"]*\"|“[^”]*”|`[^`]*`|'[^']{2,}'"),
		settled: regexp.MustCompile(`(?i)^(?:we )?(?:decided (?:to|on|against|for|that|not)|settled? on|opt(?:ed)? (?:for|to)|agreed (?:on|to|that)|standardi[sz]ed? on|` +
			`adopt(?:ed)?|go(?:ing)? with|went with|st(?:ick|ay|uck|ayed) with|(?:hemos |se )?(?:decidido|decidió|decidimos|acordamos|optamos por|elegimos|adoptamos)) `),
		chooses: regexp.MustCompile(`(?i)^(?:we |now )?(?:us(?:e|es|ed|ing)|prefer(?:s|red)?|cho(?:ose|se|sen)|pick(?:ed)?|select(?:ed)?|switch(?:ed|es)?|migrated?|replaced?|` +
			`rel(?:y|ies|ied)|kee?pt?|stored?|return(?:s|ed)?|dropp?(?:ed)?|pin(?:ned)?|disabled?|require[sd]?|bas(?:e|ed)|buil[dt]|stop(?:ped)?|avoid(?:ed)?|limit(?:ed)?|` +
			`don['’]t|do not|never|always|no longer|usamos|usar|usa|preferimos|guardamos|mantenemos|cambiamos|quitamos|no) `),
		other:   regexp.MustCompile(`(?i) (?:instead of|rather than|in favou?r of|en (?:lugar|vez) de|a favor de) |, (?:not|no) `),
		given:   regexp.MustCompile(`(?i) (?:in favou?r of|a favor de) `),
		code:    regexp.MustCompile(`[()$_/\\=]|::|->|\w\.\w`),
		only:    regexp.MustCompile(`(?i)^(?:we )?(?:prefer|cho(?:ose|se)|pick|select)\S* .+ over `),
		from:    regexp.MustCompile(`(?i)^(?:switch|migrate|cambiamos)\S* (?:\S+ ){0,3}(?:from|de) .+ (?:to|a) `),
		cause:   regexp.MustCompile(`(?i)[ ,;:](?:because|due to|caused by|root cause|the (?:reason|problem|cause) (?:is|was)|porque|ya que|debido a|causado por) `),
		effect:  regexp.MustCompile(`(?i)[ ,;](?:to (?:avoid|prevent|ensure|make sure)|in order to|so that|so (?:it|we|they|any|no|the)|para (?:evitar|que)) `),
		began:   regexp.MustCompile(`(?i)[ ,]since (\S+)(?: (\S+))?`),
		passing: regexp.MustCompile(`(?i)\b(?:for now|temporar\w*|maybe|perhaps|try(?:ing)?|experiment\w*|wip|por ahora|de momento)\b|\?$`),
	}
})

// leastAlone is the minimum number of words of a subject that can stand alone.
const leastAlone = 3

// ofSubject returns what a commit's subject says beyond its change: a decision, or a reason.
func (r commits) ofSubject(subject string) (kind engram.Type, title, why string, ok bool) {
	s := ofSubjects()
	said := s.quoted.ReplaceAllStringFunc(subject, func(q string) string { return strings.Repeat("_", len(q)) })
	bare := said[len(s.area.FindString(said)):]
	reason := s.reason(bare)
	chosen := s.chooses.MatchString(bare)
	switch {
	case words(bare) < leastAlone || s.passing.MatchString(bare):
		return "", "", "", false
	case r.fix.MatchString(said):
		return engram.TypeBugfix, subject, "the commit fixes something and says why it was broken", reason > 0 && s.cause.MatchString(bare) || reason > 0 && s.since(bare) > 0
	case r.revert.MatchString(said):
		return engram.TypeDecision, subject, "the commit reverts something and says why", reason > 0
	case s.settled.MatchString(bare), s.only.MatchString(bare), s.from.MatchString(bare):
		return engram.TypeDecision, s.head(bare, subject, reason), "the commit says what was decided", true
	case (chosen || s.given.MatchString(bare)) && s.other.MatchString(bare) && (reason > 0 || !s.code.MatchString(bare)):
		return engram.TypeDecision, s.head(bare, subject, reason), "the commit names a choice and its alternative", true
	case chosen && reason > 0:
		return engram.TypeDecision, s.head(bare, subject, reason), byChoice, true
	case s.cause.MatchString(bare):
		return engram.TypeLearning, subject, "the commit says why", reason > 0
	}
	return "", "", "", false
}

// reason returns where a subject's reason begins; 0 if it has none. The text before and after must
// say something.
func (s subjects) reason(bare string) int {
	for _, at := range [][]int{s.cause.FindStringIndex(bare), s.effect.FindStringIndex(bare)} {
		if at != nil && words(bare[:at[0]]) >= 1 && words(bare[at[1]:]) >= 2 {
			return at[0]
		}
	}
	if at := s.since(bare); at > 0 && words(bare[:at]) >= 1 {
		return at
	}
	return 0
}

// since returns where "since" introduces a cause, not a time; 0 if it does not.
func (s subjects) since(bare string) int {
	m := s.began.FindStringSubmatchIndex(bare)
	if m == nil {
		return 0
	}
	next := strings.ToLower(bare[m[2]:m[3]])
	if strings.ContainsAny(next, "0123456789") || words(bare[m[2]:]) < 3 {
		return 0
	}
	switch next {
	case "last", "yesterday", "when", "then", "version", "release", "monday", "the":
		if next != "the" || m[4] < 0 {
			return 0
		}
		switch strings.ToLower(bare[m[4]:m[5]]) {
		case "last", "beginning", "start", "release", "previous", "first", "tag", "latest":
			return 0
		}
	}
	return m[0]
}

// head returns the decision in a subject, without its area and reason.
func (s subjects) head(bare, subject string, reason int) string {
	area := len(subject) - len(bare)
	if reason > 0 && words(bare[:reason]) >= 3 {
		return subject[area : area+reason]
	}
	return subject[area:]
}
