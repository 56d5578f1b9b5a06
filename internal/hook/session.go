package hook

import (
	"context"
	"strings"

	"github.com/alanbuscaglia/engram"
	"github.com/alanbuscaglia/engram/internal/attend"
	"github.com/alanbuscaglia/engram/internal/capture"
	"github.com/alanbuscaglia/engram/internal/engine/brief"
	"github.com/alanbuscaglia/engram/internal/engine/exposure"
	"github.com/alanbuscaglia/engram/internal/hook/dialect"
	"github.com/alanbuscaglia/engram/internal/redact"
)

// sessionStart gives the session its brief, and writes pending items of other sessions.
func (r *run) sessionStart(ctx context.Context, notes []attend.Note, at where) {
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

// prompt records the prompt, and injects memories about it.
func (r *run) prompt(ctx context.Context, notes []attend.Note, at where) {
	asked := strings.TrimSpace(cutText(r.event.Prompt))
	if asked != "" {
		r.wait(attend.PendingPrompt, asked)
		r.note(attend.Note{Kind: attend.KindPrompt})
	}
	r.recorded()
	if at == here && !r.late(ctx, notes) && asked != "" {
		r.remind(ctx, notes, brief.RemindInput{Query: asked})
	}
	r.sayBrought()
	r.write(ctx)
}

// remind injects memories about what the agent is about to do, if they are certain and no other
// event has just injected them. It reports whether it finished in time.
func (r *run) remind(ctx context.Context, notes []attend.Note, in brief.RemindInput) bool {
	if !r.agent.TellsAt(r.event) {
		return false
	}
	in.SessionID, in.Injected = r.event.Session, knownIn(notes)
	if in.Project == "" {
		in.Project, in.Directory = r.project, r.dir
	}
	over := true
	in.Inject = func(t exposure.Injection) (mine []int64, shown bool) {
		shown = r.report(func() (dialect.Answer, bool) {
			mine, over = r.claim(t, false, func([]attend.Note) ([]attend.Note, bool) { return nil, true })
			return dialect.Answer{Context: t.Text(mine)}, len(mine) > 0
		}, func() { r.giveBack(injectedNote(mine)) })
		over = over && (shown || len(mine) == 0)
		return mine, shown
	}
	r.do("remind")
	if _, err := r.Engine().Remind(ctx, in); err != nil {
		r.trouble("remind", err)
		return false
	}
	return over
}

// keepInSummary asks the model that summarises a long session for the learnings that would be lost.
const keepInSummary = "At the end of the summary, list under the heading \"## Key Learnings:\" as a numbered list what was decided, found out or " +
	"asked for in this session and would matter in a later one: each item one sentence that can be understood alone. Leave it out if there is nothing."

// beforeCompact writes pending items, and asks for a summary with learnings.
func (r *run) beforeCompact(ctx context.Context, _ []attend.Note, _ where) {
	if !r.NoCapture {
		r.say(dialect.Answer{Context: keepInSummary})
	}
	r.write(ctx)
}

// afterCompact records the summary, and gives the brief again.
func (r *run) afterCompact(ctx context.Context, notes []attend.Note, at where) {
	if summary := cutText(capture.Summary(redact.Private(r.event.Summary))); summary != "" {
		r.learned(ctx, notes, notes, attend.Pending{What: attend.PendingSummary, Text: summary, Topic: "session/" + short("compact", r.event.Session)})
		r.capture(ctx, notes, notes, summary)
	}
	r.recorded()
	if at == here {
		r.brief(ctx, notes, true)
	}
	r.write(ctx)
}

// capture saves the learnings in a message about some notes, and reports whether there are any.
func (r *run) capture(ctx context.Context, worked, notes []attend.Note, said string) bool {
	if r.NoCapture {
		return false
	}
	said = cutText(said)
	if len(capture.Learnings(said)) == 0 {
		return false
	}
	return r.learned(ctx, worked, notes, attend.Pending{What: attend.PendingCapture, Text: said})
}

// sessionEnd writes pending items and removes the notes. Agents without a stop event send their
// last message here.
func (r *run) sessionEnd(ctx context.Context, notes []attend.Note, _ where) {
	r.capture(ctx, attend.Turn(notes), notes, r.event.Last)
	r.wait(attend.PendingEnd, "")
	r.recorded()
	r.write(ctx)
	if err := r.Notes.End(r.event.Session); err != nil {
		r.trouble("end", err)
	}
}

func (r *run) subagentStop(ctx context.Context, notes []attend.Note, _ where) {
	r.capture(ctx, attend.Turn(notes), notes, r.last())
	r.recorded()
	r.write(ctx)
}

// stop records the learnings, and asks once or twice a session to save if much was done.
func (r *run) stop(ctx context.Context, notes []attend.Note, at where) {
	listed := r.capture(ctx, attend.Turn(notes), notes, r.last())
	r.recorded()
	if listed {
		r.note(attend.Note{Kind: attend.KindTool, Tool: savesLearnings}) // counts as a save for Neglect
	} else if at == here && r.agent.Asks && !r.event.Again && !r.event.Subagent {
		r.ask(ctx, notes)
	}
	r.write(ctx)
	r.writeOthers(ctx)
}

// savesLearnings is the tool that the agent could have used instead of listing learnings.
const savesLearnings = "mem_capture_passive"

// ask asks the agent to save something. It queries the store only if the notes show no save.
func (r *run) ask(ctx context.Context, notes []attend.Note) {
	if attend.Neglect(notes, 0) == "" {
		return
	}
	r.do("saved")
	ms, err := r.Engine().List(ctx, engram.Filter{SessionID: r.event.Session}, engram.Page{})
	if err != nil {
		r.trouble("saved", err)
		return // it may have saved something
	}
	saved := 0
	for _, m := range ms {
		if m.Origin != engram.OriginTool { // others were written by hooks
			saved++
		}
	}
	ask := attend.Neglect(notes, saved)
	if ask == "" {
		return
	}
	r.note(attend.Note{Kind: attend.KindAsked})
	r.say(dialect.Answer{Ask: ask})
}

// last returns the agent's last message: from the event, or from its transcript.
func (r *run) last() string {
	if r.event.Last != "" || r.NoCapture || r.event.Transcript == "" {
		return r.event.Last
	}
	r.do("transcript")
	said, err := dialect.LastMessage(r.event.Transcript)
	if err != nil {
		r.trouble("transcript", err)
	}
	return said
}
