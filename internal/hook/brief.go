package hook

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/alanbuscaglia/engram"
	"github.com/alanbuscaglia/engram/internal/attend"
	"github.com/alanbuscaglia/engram/internal/engine/brief"
	"github.com/alanbuscaglia/engram/internal/engine/exposure"
	"github.com/alanbuscaglia/engram/internal/hook/dialect"
)

// afterCompaction is the source of a start after a compaction, when the context is lost.
const afterCompaction = "compact"

// lateBriefs limits the attempts to give a session its brief with tool events. A store that never
// answers in time must not delay every tool call.
const lateBriefs = 4

// sameMoment is the interval within which two events count as simultaneous: an agent starts its
// session together with a prompt, and their processes may start in either order.
const sameMoment = 2 * time.Second

// brief gives a session that begins, or forgot its context (again), its session brief, and reports
// whether there was one and it was given. notes are those from before the event. It notes the
// attempt first, so that if a slow store ends the process, the next event tries again (late).
func (r *run) brief(ctx context.Context, notes []attend.Note, again bool) (said bool) {
	if !r.agent.TellsAt(r.event) || r.briefed(notes, notes, again) {
		return false
	}
	note := attend.Note{Kind: noteBrief}
	if again {
		note.Text = afterCompaction
	}
	tried := note
	tried.Failed = true
	if !r.note(tried) && r.kind != dialect.SessionStart {
		return false // otherwise every event would try, if no attempt can be noted
	}
	in := brief.SessionBriefInput{Project: r.project, SessionID: r.event.Session, Directory: r.dir, Again: again, Injected: knownIn(notes)}
	in.Inject = func(t exposure.Injection) (mine []int64, shown bool) {
		shown = r.report(func() (a dialect.Answer, ok bool) {
			mine, ok = r.claim(t, again, func(noted []attend.Note) ([]attend.Note, bool) {
				return []attend.Note{note}, !r.briefed(noted, notes, again)
			})
			if ok {
				a.Context = r.brought + t.Text(mine)
			}
			return a, ok
		}, func() {
			r.giveBack(note)
			r.giveBack(injectedNote(mine))
		})
		return mine, shown
	}
	r.do("brief")
	b, err := r.Engine().Brief(ctx, in)
	if err != nil {
		r.trouble("brief", err)
		if !slices.ContainsFunc(notes, func(n attend.Note) bool { return n.Kind == noteBrief }) {
			r.reportShut(err)
		}
		return false
	}
	return b.Text != ""
}

// reportShut tells a new session about a database that stays closed until a person acts.
func (r *run) reportShut(err error) {
	if known, ok := errors.AsType[*engram.Error](err); ok && known.Code == engram.CodeConflict {
		r.say(dialect.Answer{Context: "Engram's memory cannot be used in this session, and the user should know: " + known.Msg + ". " + known.Hint + "."})
	}
}

// briefed reports whether another event gives the brief according to the notes now: one that
// claimed it since this event began, or one at the same moment.
func (r *run) briefed(now, began []attend.Note, again bool) bool {
	briefs := givenBriefs(now, again)
	return len(briefs) > len(givenBriefs(began, again)) ||
		slices.ContainsFunc(briefs, func(n attend.Note) bool { return r.at.Sub(n.At).Abs() <= sameMoment })
}

// givenBriefs returns the notes of briefs that were given and not taken back; with again, only those
// after a compaction, because earlier ones are forgotten.
func givenBriefs(notes []attend.Note, again bool) (briefs []attend.Note) {
	for _, n := range notes {
		switch {
		case n.Kind != noteBrief || again && n.Text != afterCompaction:
		case n.Failed: // noted before an attempt, and after taking a brief back
			briefs = slices.DeleteFunc(briefs, func(t attend.Note) bool { return t.At.Equal(n.At) })
		default:
			briefs = append(briefs, n)
		}
	}
	return briefs
}

// late gives the brief that a session has not had: its agent has no start event, that event ran out
// of time, or the session began elsewhere. It reports whether there was one.
func (r *run) late(ctx context.Context, notes []attend.Note) bool {
	_, owed, again := owesBrief(notes)
	if owed && !again && !slices.ContainsFunc(notes, func(n attend.Note) bool { return n.Kind == noteBrief }) {
		r.bringIn(ctx) // it acts as the session's start
	}
	return owed && r.brief(ctx, notes, again)
}

// owesBrief reports whether there is no brief since the session began or forgot (again); since are
// the notes after the last one. A brief that another event is giving counts.
func owesBrief(notes []attend.Note) (since []attend.Note, owed, again bool) {
	since, owed = notes, true
	var last attend.Note
	for i, n := range notes {
		beside := n.Text == last.Text && n.At.Sub(last.At).Abs() <= sameMoment && !n.At.Equal(last.At)
		switch {
		case n.Kind != noteBrief || n.Failed && beside:
		case !n.Failed:
			since, owed, last, again = notes[i+1:], false, n, false
		default:
			owed, again = true, again || n.Text == afterCompaction
		}
	}
	return since, owed, again
}

// retryBrief is late for events without an expected answer, such as tool calls: it only repeats failed
// attempts, and a limited number of times.
func (r *run) retryBrief(ctx context.Context, notes []attend.Note) bool {
	isBrief := func(n attend.Note) bool { return n.Kind == noteBrief }
	if r.event.Subagent || !slices.ContainsFunc(notes, isBrief) {
		return false
	}
	since, owed, _ := owesBrief(notes)
	return owed && triesIn(since, isBrief) < lateBriefs && r.place(ctx, notes) == here && r.late(ctx, notes)
}

// report answers with what claim reserves for this event, since several events may offer the same,
// and reports whether it did. A claim that came too late is taken back.
func (r *run) report(claim func() (dialect.Answer, bool), back func()) (said bool) {
	claiming := make(chan struct{})
	r.mu.Lock()
	if r.answered {
		r.mu.Unlock()
		return false
	}
	r.claiming = claiming
	r.mu.Unlock()
	mine := false
	defer func() {
		r.mu.Lock()
		late := r.answered
		r.claiming = nil
		r.mu.Unlock()
		close(claiming)
		if mine && late {
			back()
		}
	}()
	var a dialect.Answer
	if a, mine = claim(); mine {
		said = r.say(a)
	}
	return said
}

// answer returns the answer so far; later ones are lost. It waits for a claim in progress until
// last ends, because claimed memories that are not sent are lost.
func (r *run) answer(last context.Context) []byte {
	for {
		r.mu.Lock()
		claiming := r.claiming
		if claiming == nil || last.Err() != nil {
			r.answered = true
			said := r.said
			r.mu.Unlock()
			return said
		}
		r.mu.Unlock()
		select {
		case <-claiming:
		case <-last.Done():
		}
	}
}

// claim reserves those memories of t that the session has not seen, in the notes, which all hooks
// of a session share without locking the store. with chooses further notes, and refuses by false.
// If notes cannot be written the store records it; if neither can, nothing is injected: late is
// better than twice.
func (r *run) claim(t exposure.Injection, again bool, with func(noted []attend.Note) ([]attend.Note, bool)) (mine []int64, ok bool) {
	err := r.Notes.Claim(r.event.Session, []string{noteInjected, noteBrief}, func(noted []attend.Note) []attend.Note {
		more, may := with(noted)
		if !may {
			return nil
		}
		mine, ok = t.Nums, true
		if !again {
			known := knownIn(noted)
			mine = slices.DeleteFunc(slices.Clone(mine), func(num int64) bool { return slices.Contains(known, num) })
		}
		if len(mine) > 0 {
			more = append(more, injectedNote(mine))
		}
		for i := range more {
			more[i].At = r.at
		}
		return more
	})
	if err == nil {
		return mine, ok
	}
	r.trouble("claim", err)
	if len(r.notes()) > 0 {
		return nil, false // notes work but are locked by others, who may be injecting the same
	}
	if mine, err = t.Claim(t.Nums); err != nil {
		r.trouble("claim", err)
	}
	return mine, err == nil
}

func injectedNote(nums []int64) attend.Note {
	return attend.Note{Kind: noteInjected, Text: strings.Trim(strings.Join(strings.Fields(fmt.Sprint(nums)), ","), "[]")}
}

// giveBack notes that a claim was not used.
func (r *run) giveBack(n attend.Note) {
	n.Failed = true
	r.note(n)
}

// knownIn returns the memories that were injected according to notes.
func knownIn(notes []attend.Note) (nums []int64) {
	for _, n := range notes {
		if n.Kind != noteInjected {
			continue
		}
		for _, word := range strings.Split(n.Text, ",") {
			num, err := strconv.ParseInt(word, 10, 64)
			switch {
			case err != nil:
			case n.Failed:
				nums = slices.DeleteFunc(nums, func(known int64) bool { return known == num })
			default:
				nums = append(nums, num)
			}
		}
	}
	return nums
}

// oneTry is the interval within which attempts count as one: simultaneous events fail for the same
// reason, and between two tool calls an agent thinks longer.
const oneTry = 500 * time.Millisecond

// triesIn counts the attempts among notes that match of.
func triesIn(notes []attend.Note, of func(attend.Note) bool) (tries int) {
	var last time.Time
	for _, n := range notes {
		if n.Failed && of(n) && (tries == 0 || n.At.Sub(last).Abs() > oneTry) {
			tries, last = tries+1, n.At
		}
	}
	return tries
}
