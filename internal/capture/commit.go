package capture

import (
	"regexp"
	"strings"
	"sync"
	"time"

	"github.com/alanbuscaglia/engram"
)

// Commit is a commit's metadata.
type Commit struct {
	Hash          string
	Subject, Body string
	Author        string // name and address, if known
	At            time.Time
}

type commits struct {
	bot, chore, squash, trailer, revert, reverted, breaking, fix, why, strong, chose *regexp.Regexp
}

var ofCommits = sync.OnceValue(func() commits {
	return commits{
		bot: regexp.MustCompile(`(?i)\[bot\]|\b(?:dependabot|renovate|greenkeeper|snyk-bot|github-actions|semantic-release|weblate|pre-commit-ci|release-please)\b`),
		chore: regexp.MustCompile(`(?i)^(?:(?:chore|style|ci|build|test|tests|docs?|release|bump|deps|wip)(?:\([^)]*\))?!?:|merge\b|` +
			`bump\b|wip\b|fixup!|squash!|amend!|release\b|v?\d+\.\d+|update (?:dependenc|changelog|readme|` +
			`submodule|\S+ requirement)|tests?\b|initial commit|prepare (?:release|v?\d)|format(?:ting)?\b|typo)`),
		squash: regexp.MustCompile(`(?i)^\s*[*+-]\s+(?:fix|feat|chore|wip|update|add|remove|merge|test|docs|refactor|address|review|lint|format|typo)\b`),
		trailer: regexp.MustCompile(`^(?:[A-Z][A-Za-z]*(?:-[A-Za-z]+)+|Fixes|Closes|Refs?|Resolves|See|Related|Issue|PR|Cc|Bug|Link|` +
			`Change|Backport|Part of|Updates)\s*(?::|#)\s*\S.*$|^\(cherry picked from .*\)$|^(?:Fixes|Closes|` +
			`Resolves|Refs?|Updates) \S+$`),
		revert:   regexp.MustCompile(`(?i)^revert(?:s|ed)?\b[:( "]`),
		reverted: regexp.MustCompile(`(?i)this reverts commits? [0-9a-f]{7,64}(?:[^.]{0,80})?\.?`),
		breaking: regexp.MustCompile(`(?is)(?:^|\n)\s*BREAKING[ -]CHANGES?:\s*(.+?)(?:\n\s*\n|\n[A-Z][A-Za-z-]+: |$)`),
		fix: regexp.MustCompile(`(?i)^(?:(?:bug)?fix(?:es|ed)?(?:\([^)]*\))?!?:|[\w./, -]{1,40}: (?:fix|do not|don't|stop|avoid|` +
			`prevent|handle|never)|fix(?:es|ed)?\b|hotfix|arregl|corrig|corregi|repara)|\bfix(?:es|ed)?\b`),
		why: regexp.MustCompile(`(?i)\b(?:because|since (?:it|we|they|that|the|this|there|each|every)|so that|so it|in order to|` +
			`to (?:avoid|keep|prevent|make sure|ensure)|instead of|rather than|otherwise|due to|the (?:reason|` +
			`problem|issue|cause|bug) (?:is|was)|root cause|turn(?:s|ed) out|used to|it would|we would|` +
			`could (?:lead|cause|end|race|deadlock)|must not|caused|which (?:meant|means|made|broke|caused|led)|` +
			`as (?:it|we|they|the) |without (?:this|it|that)|this (?:means|way|avoids|keeps|lets|makes)|chose|` +
			`decided|prefer|trade-?off|` +
			`porque|ya que|para (?:que|evitar|no)|en (?:lugar|vez) de|debido a|de lo contrario|la causa|el problema (?:era|es)|así)\b`),
		chose: regexp.MustCompile(`(?i)\b(?:instead of|rather than|chose|decided|prefer|trade-?off|en (?:lugar|vez) de|decidi|elegi)`),
		strong: regexp.MustCompile(`(?i)\b(?:because|since (?:it|we|they|that|the|this|there|each|every)|otherwise|due to|the (?:reason|` +
			`problem|issue|cause|bug) (?:is|was)|root cause|turn(?:s|ed) out|used to|could (?:lead|cause|end|` +
			`race|deadlock)|must not|which (?:meant|broke|caused|led)|porque|ya que|debido a|de lo contrario|` +
			`la causa|el problema (?:era|es))\b`),
	}
})

// mostCommit is how many bytes of a commit are kept.
const mostCommit = 4 << 10

// OfCommit returns what a commit says beyond its change: why, what it breaks, the cause of what it fixes, why
// something was reverted; if the body has none of it, what the subject says alone (ofSubject). ok is false if
// both only describe the change, and for merges, releases, chores and bots.
func OfCommit(c Commit) (p Proposal, ok bool) {
	r := ofCommits()
	subject := strings.TrimSpace(c.Subject)
	body := r.prose(c.Body)
	broke := strings.Join(strings.Fields(first(r.breaking.FindStringSubmatch("\n"+c.Body))), " ")
	p = Proposal{Title: shortened(subject), Importance: 0.5, At: c.At}
	isRevert := r.revert.MatchString(subject)
	switch {
	case subject == "" || r.bot.MatchString(c.Author) || strings.Contains(c.Body, "dependabot") || strings.HasPrefix(subject, "Merge "):
		return p, false
	case words(broke) >= leastBroken:
		p.Type, p.Why, p.Importance = engram.TypeDecision, "the commit says what it breaks", 0.7
		p.Content = join(subject, body, "Breaking: "+broke)
		return p, true
	case r.chore.MatchString(subject) && !isRevert:
		return p, false
	case isRevert:
		because := r.reasoned(strings.TrimSpace(r.reverted.ReplaceAllString(body, "")), false)
		p.Type, p.Why, p.Content = engram.TypeDecision, "the commit reverts something and says why", join(subject, because)
		if because != "" {
			return p, true
		}
	}
	because := r.reasoned(body, true)
	p.Content = join(subject, because)
	switch {
	case because == "":
		return r.bySubject(p, subject, body)
	case r.fix.MatchString(subject):
		p.Type, p.Why, p.Importance = engram.TypeBugfix, "the commit fixes something and says why it was broken", 0.6
	case r.chose.MatchString(because):
		p.Type, p.Why = engram.TypeDecision, "the commit gives the reason for a choice"
	case r.strong.MatchString(because):
		p.Type, p.Why = engram.TypeLearning, "the commit says why"
	default: // "this makes …" says what, and "so that …" what for
		return r.bySubject(p, subject, body)
	}
	return p, true
}

// bySubject returns the proposal for a commit whose subject alone gives a reason.
func (r commits) bySubject(p Proposal, subject, body string) (Proposal, bool) {
	kind, title, why, ok := r.ofSubject(subject)
	if !ok {
		return p, false
	}
	if kind == engram.TypeBugfix {
		p.Importance = 0.6
	}
	p.Type, p.Title, p.Why, p.Content = kind, headline(title), why, join(subject, body)
	return p, true
}

const (
	leastBroken  = 3 // words
	leastBecause = 8 // words of a body that explains something
)

// prose returns a body without trailers, lists of squashed commits and quoted output.
func (r commits) prose(body string) string {
	var kept []string
	for _, line := range strings.Split(strings.ReplaceAll(body, "\r", ""), "\n") {
		bare := strings.TrimSpace(line)
		if r.trailer.MatchString(bare) || r.squash.MatchString(line) || strings.HasPrefix(strings.ToUpper(bare), "BREAKING CHANGE") || strings.HasPrefix(bare, "---------") {
			continue
		}
		kept = append(kept, strings.TrimRight(line, " \t"))
	}
	return strings.TrimSpace(strings.Join(kept, "\n"))
}

// reasoned returns a body that gives a reason, else "". marked requires a word that introduces a
// reason; otherwise prose of sufficient length is enough.
func (r commits) reasoned(body string, marked bool) string {
	n, found := 0, false
	for _, p := range prose(body) {
		for _, s := range p {
			n += words(s)
			found = found || r.why.MatchString(s)
		}
	}
	if marked && (n < leastBecause || !found) || n < leastBroken+2 {
		return ""
	}
	return body
}

// first returns the group of a match, or "".
func first(m []string) string {
	if len(m) < 2 {
		return ""
	}
	return m[1]
}

// join joins the parts of a commit with empty lines, and cuts the result if it is too long.
func join(parts ...string) string {
	var all []string
	for _, p := range parts {
		if p = strings.TrimSpace(p); p != "" {
			all = append(all, p)
		}
	}
	s := strings.Join(all, "\n\n")
	if len(s) > mostCommit {
		s = strings.ToValidUTF8(s[:mostCommit], "")
		if i := strings.LastIndexByte(s, '\n'); i > mostCommit/2 {
			s = s[:i]
		}
	}
	return s
}

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
