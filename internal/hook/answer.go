package hook

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/alanbuscaglia/engram"
	"github.com/alanbuscaglia/engram/internal/attend"
	"github.com/alanbuscaglia/engram/internal/engine"
	"github.com/alanbuscaglia/engram/internal/render"
)

// Answer is what is said to an agent about an event; the zero Answer is silence.
type Answer struct {
	Context string // for the model, beside what it has
	// Ask has the agent go on once more, with this for the model, where a stop allows it.
	Ask string
}

// Encode is an answer in the shape of an agent; nil for one that says nothing, or that the
// agent would not pass on.
func Encode(name string, e Event, a Answer) []byte {
	how := agentOf(name)
	if e.Kind == Stop || e.Kind == SubagentStop {
		a.Context = ""
	} else {
		a.Ask = ""
	}
	if a == (Answer{}) || a.Ask == "" && !how.tellsAt(e) || a.Ask != "" && !how.asks {
		return nil
	}
	a.Context, a.Ask = render.Tame(render.Plain(a.Context)), render.Tame(render.Plain(a.Ask)) // they act on no terminal, and speak for nobody
	if how.shape == shapeText || slices.Contains(how.plain, e.Kind) {
		return []byte(cmp.Or(a.Context, a.Ask) + "\n")
	}
	b, err := json.Marshal(how.document(e, a))
	if err != nil { // texts always can be
		return nil
	}
	return append(b, '\n')
}

// document is what an answer is as JSON.
func (how agent) document(e Event, a Answer) any {
	name := cmp.Or(e.Name, how.events[e.Kind])
	if _, ours := KindOf(name); !ours {
		name = how.events[e.Kind]
	}
	switch how.shape {
	case shapeOwn:
		return map[string]string{"context": a.Context, "ask": a.Ask}
	case shapeCline:
		return map[string]any{"cancel": false, "contextModification": a.Context}
	case shapeAntigravity:
		return map[string]any{"injectSteps": []any{map[string]string{"ephemeralMessage": a.Context}}}
	case shapeCursor:
		if a.Ask != "" {
			return map[string]string{"followup_message": a.Ask}
		}
		return map[string]string{"additional_context": a.Context}
	}
	switch {
	case a.Ask != "" && how.inside:
		return map[string]any{"hookSpecificOutput": map[string]string{"hookEventName": name, "decision": "block", "reason": a.Ask}}
	case a.Ask != "":
		return map[string]string{"decision": "block", "reason": a.Ask}
	}
	return map[string]any{"hookSpecificOutput": map[string]string{"hookEventName": name, "additionalContext": a.Context}}
}

// afterCompaction is the source of a session's start that is none: it has forgotten what it
// was told.
const afterCompaction = "compact"

// lateBriefs is how often it is tried to tell a session what it should know, before it is left
// to prompts. A store that never answers in time must not cost each tool of a session that time.
const lateBriefs = 4

// sameMoment is within what time two events come at once for a person: an agent starts its
// session with a prompt, and what runs later may have been started first.
const sameMoment = 2 * time.Second

// brief tells a session that begins, or forgot (again), what it should know, and reports whether there
// was something to tell and it was told. notes are those from before the event. That it is tried is
// noted first, so that where a slow store ends the process, the next event tells it (late).
func (r *run) brief(ctx context.Context, notes []attend.Note, again bool) (said bool) {
	if !r.agent.tellsAt(r.event) || r.briefed(notes, notes, again) {
		return false
	}
	note := attend.Note{Kind: noteBrief}
	if again {
		note.Text = afterCompaction
	}
	tried := note
	tried.Failed = true
	if !r.note(tried) && r.kind != SessionStart {
		return false // where nothing can be noted each event would be late
	}
	in := engine.SessionBriefInput{Project: r.project, SessionID: r.event.Session, Directory: r.dir, Again: again, Injected: knownIn(notes)}
	in.Inject = func(t engine.Injection) (mine []int64, told bool) {
		told = r.report(func() (a Answer, ok bool) {
			mine, ok = r.claim(t, again, func(noted []attend.Note) ([]attend.Note, bool) {
				return []attend.Note{note}, !r.briefed(noted, notes, again)
			})
			if ok {
				a.Context = r.brought + t.Text(mine)
			}
			return a, ok
		}, func() {
			r.giveBack(note)
			r.giveBack(toldNote(mine))
		})
		return mine, told
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

// reportShut tells a session that begins of a database which no call will open before a person
// does something about it, such as one of an earlier program.
func (r *run) reportShut(err error) {
	if told, ok := errors.AsType[*engram.Error](err); ok && told.Code == engram.CodeConflict {
		r.say(Answer{Context: "Engram remembers nothing in this session, and the user should know: " + told.Msg + ". " + told.Hint + "."})
	}
}

// briefed reports whether another event tells the brief, as notes have it by now: one that has
// claimed it since this event began, when the notes were others, or one of the same moment.
func (r *run) briefed(now, began []attend.Note, again bool) bool {
	told := toldBriefs(now, again)
	return len(told) > len(toldBriefs(began, again)) ||
		slices.ContainsFunc(told, func(n attend.Note) bool { return r.at.Sub(n.At).Abs() <= sameMoment })
}

// toldBriefs are the notes of briefs that were told and not given back; of those after a
// compaction alone, if again says so: what was told before is forgotten.
func toldBriefs(notes []attend.Note, again bool) (told []attend.Note) {
	for _, n := range notes {
		switch {
		case n.Kind != noteBrief || again && n.Text != afterCompaction:
		case n.Failed: // it is noted before what it tries, and behind what it gives back
			told = slices.DeleteFunc(told, func(t attend.Note) bool { return t.At.Equal(n.At) })
		default:
			told = append(told, n)
		}
	}
	return told
}

// late tells the brief that a session should have had: its agent has no start event, that was not
// answered in time, or it began elsewhere. It reports whether there was something to tell.
func (r *run) late(ctx context.Context, notes []attend.Note) bool {
	_, owed, again := owesBrief(notes)
	if owed && !again && !slices.ContainsFunc(notes, func(n attend.Note) bool { return n.Kind == noteBrief }) {
		r.bringIn(ctx) // it is the session's start
	}
	return owed && r.brief(ctx, notes, again)
}

// owesBrief reports whether notes have no brief since the session began or forgot (again); since are
// the notes after the last one. A brief under way in another event counts as told.
func owesBrief(notes []attend.Note) (since []attend.Note, owed, again bool) {
	since, owed = notes, true
	var told attend.Note
	for i, n := range notes {
		beside := n.Text == told.Text && n.At.Sub(told.At).Abs() <= sameMoment && !n.At.Equal(told.At)
		switch {
		case n.Kind != noteBrief || n.Failed && beside:
		case !n.Failed:
			since, owed, told, again = notes[i+1:], false, n, false
		default:
			owed, again = true, again || n.Text == afterCompaction
		}
	}
	return since, owed, again
}

// missed is late for events beside which nothing is expected, such as the use of a tool: only
// what was tried and failed is made good there, and not for ever.
func (r *run) missed(ctx context.Context, notes []attend.Note) bool {
	isBrief := func(n attend.Note) bool { return n.Kind == noteBrief }
	if r.event.Subagent || !slices.ContainsFunc(notes, isBrief) {
		return false
	}
	since, owed, _ := owesBrief(notes)
	return owed && triesIn(since, isBrief) < lateBriefs && r.place(ctx, notes) == here && r.late(ctx, notes)
}

// report says what claim makes this event's own, since several events may want to tell it, and reports
// whether it was said. What was claimed and came too late is given back.
func (r *run) report(claim func() (Answer, bool), back func()) (said bool) {
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
	var a Answer
	if a, mine = claim(); mine {
		said = r.say(a)
	}
	return said
}

// answer is what was said until now; what is said later is lost. A claim that is under way is
// waited for, until the last moment: what is claimed and not said nobody is told.
func (r *run) answer(last <-chan struct{}) []byte {
	for {
		r.mu.Lock()
		claiming := r.claiming
		if claiming == nil || isOver(last) {
			r.answered = true
			said := r.said
			r.mu.Unlock()
			return said
		}
		r.mu.Unlock()
		select {
		case <-claiming:
		case <-last:
		}
	}
}

func isOver(last <-chan struct{}) bool {
	select {
	case <-last:
		return true
	default:
		return false
	}
}

// claim claims those memories of t that the session was not told: in the notes, which all hooks of a
// session share without locking the store. with chooses what else is noted, and refuses by false.
// Where notes cannot be kept the store records it; where neither can, nothing is told: late is
// better than twice.
func (r *run) claim(t engine.Injection, again bool, with func(noted []attend.Note) ([]attend.Note, bool)) (mine []int64, ok bool) {
	err := r.Notes.Claim(r.event.Session, []string{noteTold, noteBrief}, func(noted []attend.Note) []attend.Note {
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
			more = append(more, toldNote(mine))
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
		return nil, false // they are kept, and held by others now, who may be telling the same
	}
	if mine, err = t.Claim(t.Nums); err != nil {
		r.trouble("claim", err)
	}
	return mine, err == nil
}

// toldNote notes that memories are told.
func toldNote(nums []int64) attend.Note {
	return attend.Note{Kind: noteTold, Text: strings.Trim(strings.Join(strings.Fields(fmt.Sprint(nums)), ","), "[]")}
}

// giveBack notes that what was claimed was not told.
func (r *run) giveBack(n attend.Note) {
	n.Failed = true
	r.note(n)
}

// knownIn are the memories that notes say were told.
func knownIn(notes []attend.Note) (nums []int64) {
	for _, n := range notes {
		if n.Kind != noteTold {
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

// oneTry is within what time events that try the same are one try: they come at once, and fail
// of the same cause. Between tools that are used one after the other an agent thinks longer.
const oneTry = 500 * time.Millisecond

// triesIn is how often notes of which holds say that something was begun.
func triesIn(notes []attend.Note, of func(attend.Note) bool) (tries int) {
	var last time.Time
	for _, n := range notes {
		if n.Failed && of(n) && (tries == 0 || n.At.Sub(last).Abs() > oneTry) {
			tries, last = tries+1, n.At
		}
	}
	return tries
}
