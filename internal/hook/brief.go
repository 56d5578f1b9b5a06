package hook

import (
	"context"
	"errors"
	"slices"
	"time"

	"github.com/alanbuscaglia/engram"
	"github.com/alanbuscaglia/engram/internal/attend"
	"github.com/alanbuscaglia/engram/internal/engine"
)

// afterCompaction is the source of a session's start that is none: it has forgotten what it
// was told.
const afterCompaction = "compact"

// lateBriefs is how often it is tried to tell a session what it should know, before it is left
// to prompts. A store that never answers in time must not cost each tool of a session that time.
const lateBriefs = 4

// sameMoment is within what time two events come at once for a person: an agent starts its
// session with a prompt, and what runs later may have been started first.
const sameMoment = 2 * time.Second

// brief tells what a session should know that begins, or again what it knew. It reports
// whether that was told, and there was something to tell.
//
// That it is tried is noted before, and that it is told as it is claimed: a store that does
// not answer ends the process between the two, and the next event tells it (late). notes are
// those from before the event.
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
	in := engine.BriefInput{Project: r.project, SessionID: r.event.Session, Directory: r.dir, Again: again, Told: knownIn(notes)}
	in.Tell = func(t engine.Telling) (mine []int64, told bool) {
		told = r.tell(func() (a Answer, ok bool) {
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
			r.tellShut(err)
		}
		return false
	}
	return b.Text != ""
}

// tellShut tells a session that begins of a database which no call will open before a person
// does something about it, such as one of an earlier program.
func (r *run) tellShut(err error) {
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

// late tells what the session should have been told before: its agent has no event for its
// start, or that could not be answered in time, or it began elsewhere. It reports whether
// there was something to tell.
func (r *run) late(ctx context.Context, notes []attend.Note) bool {
	_, owed, again := owesBrief(notes)
	if owed && !again && !slices.ContainsFunc(notes, func(n attend.Note) bool { return n.Kind == noteBrief }) {
		r.bringIn(ctx) // it is the session's start
	}
	return owed && r.brief(ctx, notes, again)
}

// owesBrief reports whether notes say of no brief that was told since the session began, or
// since it forgot (again); since are those behind the last one. A brief that was begun while
// another event told it is none that failed.
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
