package hook

import (
	"context"
	"strings"

	"github.com/alanbuscaglia/engram/internal/attend"
	"github.com/alanbuscaglia/engram/internal/capture"
	"github.com/alanbuscaglia/engram/internal/engine"
	"github.com/alanbuscaglia/engram/internal/redact"
)

// sessionStart tells what the session should know, and writes what others have left.
func (r *run) sessionStart(ctx context.Context) {
	if r.event.Subagent {
		return
	}
	notes := r.notes()
	at := r.place(ctx, notes)
	if at == off {
		return
	}
	if at == here {
		again := r.event.Source == afterCompaction
		if !again {
			r.bringIn(ctx)
		}
		r.brief(ctx, notes, again)
		r.sayBrought()
	}
	r.write(ctx)
	r.writeOthers(ctx)
	if err := r.Notes.Sweep(r.at.Add(-week)); err != nil {
		r.trouble("sweep", err)
	}
}

// prompt keeps what the person asked, and tells what the memory has to say to it.
func (r *run) prompt(ctx context.Context) {
	if r.event.Subagent {
		return
	}
	notes := r.notes()
	at := r.place(ctx, notes)
	if at == off {
		return
	}
	asked := strings.TrimSpace(cutText(r.event.Prompt))
	if asked != "" {
		r.wait(attend.WaitPrompt, asked)
		r.note(attend.Note{Kind: attend.KindPrompt})
	}
	r.settle()
	if at == here && !r.late(ctx, notes) && asked != "" {
		r.remind(ctx, notes, engine.RemindInput{Query: asked})
	}
	r.sayBrought()
	r.write(ctx)
}

// remind tells what is known about what the agent is about to do, if that is certain, and if
// no other event has just told it. It reports whether that was found out and said in time.
func (r *run) remind(ctx context.Context, notes []attend.Note, in engine.RemindInput) bool {
	if !r.agent.tellsAt(r.event) {
		return false
	}
	in.SessionID, in.Told = r.event.Session, knownIn(notes)
	if in.Project == "" {
		in.Project, in.Directory = r.project, r.dir
	}
	over := true
	in.Tell = func(t engine.Telling) (mine []int64, told bool) {
		told = r.tell(func() (Answer, bool) {
			mine, over = r.claim(t, false, func([]attend.Note) ([]attend.Note, bool) { return nil, true })
			return Answer{Context: t.Text(mine)}, len(mine) > 0
		}, func() { r.giveBack(toldNote(mine)) })
		over = over && (told || len(mine) == 0)
		return mine, told
	}
	r.do("remind")
	if _, err := r.Engine().Remind(ctx, in); err != nil {
		r.trouble("remind", err)
		return false
	}
	return over
}

// keepInSummary asks whoever writes the summary of a long session for what would be lost.
const keepInSummary = "At the end of the summary, list under the heading \"## Key Learnings:\" as a numbered list what was decided, found out or " +
	"asked for in this session and would matter in a later one: each item one sentence that can be understood alone. Leave it out if there is nothing."

// beforeCompact writes what waits, and asks for a summary out of which learnings can be taken.
func (r *run) beforeCompact(ctx context.Context) {
	if r.event.Subagent || r.place(ctx, r.notes()) == off {
		return
	}
	if !r.NoCapture {
		r.say(Answer{Context: keepInSummary})
	}
	r.write(ctx)
}

// afterCompact keeps the summary, and tells what was forgotten.
func (r *run) afterCompact(ctx context.Context) {
	if r.event.Subagent {
		return
	}
	notes := r.notes()
	at := r.place(ctx, notes)
	if at == off {
		return
	}
	if summary := cutText(capture.Summary(redact.Private(r.event.Summary))); summary != "" {
		r.learned(ctx, notes, notes, attend.Waiting{What: attend.WaitSummary, Text: summary, Topic: "session/" + short("compact", r.event.Session)})
		r.capture(ctx, notes, notes, summary)
	}
	r.settle()
	if at == here {
		r.brief(ctx, notes, true)
	}
	r.write(ctx)
}

// capture has the learnings kept that a text lists about the work of some notes, and reports
// whether there are any.
func (r *run) capture(ctx context.Context, worked, notes []attend.Note, said string) bool {
	if r.NoCapture {
		return false
	}
	said = cutText(said)
	if len(capture.Learnings(said)) == 0 {
		return false
	}
	return r.learned(ctx, worked, notes, attend.Waiting{What: attend.WaitCapture, Text: said})
}

// sessionEnd writes what waits, and forgets what was noted. There are agents without a stop, who
// say here what they have done.
func (r *run) sessionEnd(ctx context.Context) {
	notes := r.notes()
	if r.event.Subagent || r.place(ctx, notes) == off {
		return
	}
	r.capture(ctx, attend.Turn(notes), notes, r.event.Last)
	r.wait(attend.WaitEnd, "")
	r.settle()
	r.write(ctx)
	if err := r.Notes.End(r.event.Session); err != nil {
		r.trouble("end", err)
	}
}
