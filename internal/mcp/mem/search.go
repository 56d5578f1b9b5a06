package mem

import (
	"context"
	"fmt"
	"strings"

	"github.com/alanbuscaglia/engram"
	"github.com/alanbuscaglia/engram/internal/document"
	"github.com/alanbuscaglia/engram/internal/engine/brief"
	"github.com/alanbuscaglia/engram/internal/engine/projects"
	"github.com/alanbuscaglia/engram/internal/engine/search"
	"github.com/alanbuscaglia/engram/internal/mcp/tool"
	"github.com/alanbuscaglia/engram/internal/redact"
	"github.com/alanbuscaglia/engram/internal/render"
)

type searchArgs struct {
	Query       string   `json:"query" required:"schema" small:"a question or words"`
	Type        []string `json:"type" doc:"only this type" one:"true" small:"-"`
	Project     string   `json:"project" doc:"default: this folder's" small:"-"`
	AllProjects bool     `json:"all_projects" small:"-"`
	Scope       string   `json:"scope" enum:"project,personal,global" lax:"true" small:"-"`
	Limit       int      `json:"limit" default:"10" min:"1" max:"20" lax:"true" small:"-"`
	AsOf        string   `json:"as_of" doc:"a past date" small:"-"`
	MatchMode   string   `json:"match_mode" doc:"all: every word must occur" enum:"any,all" default:"any" small:"-"`
	Compact     bool     `json:"compact" doc:"titles only" small:"-"`
	MaxBytes    int      `json:"max_bytes" doc:"cut the list to this size" min:"0" small:"-"`
}

// found is the answer to a search: relevant memories; those below the threshold are only titles in the text.
// Results is nil, and its key omitted, when nothing was found: clients check for the key.
type found struct {
	envelope
	Results []observation `json:"results,omitempty"`

	text foundText
}

// InText returns the same with contents in words, and fewer fields.
func (f found) InText() any { return f.text }

// foundText is a search as clients have always read it from the text.
type foundText struct {
	envelope
	Results []result `json:"results,omitempty"`
}

type result struct {
	ID          int64  `json:"id"`
	SyncID      string `json:"sync_id"`
	Title       string `json:"title"`
	Type        string `json:"type"`
	State       string `json:"state"`
	Scope       string `json:"scope"`
	Project     string `json:"project,omitempty"`
	ReviewAfter string `json:"review_after,omitempty"`
	Uncertain   bool   `json:"uncertain,omitempty"` // one of the nearest, where nothing is surely relevant
}

func (d *dialect) search(ctx context.Context, by tool.Caller, a searchArgs) (found, error) {
	past, err := d.when("as_of", a.AsOf)
	if err != nil {
		return found{}, err
	}
	at, filter := everywhere(), filterOf(a)
	if !a.AllProjects && (a.Project != "" || filter.Scope != engram.ScopePersonal) {
		if at, err = d.readingAt(ctx, a.Project, past); err != nil {
			return found{}, err
		}
		filter.Project = at.Name
	}
	hits, err := d.As(by).SearchIn(ctx, d.asking.now(), search.SearchInput{Query: a.Query, AsOf: past, Filter: filter, Limit: a.Limit, All: a.MatchMode == "all"})
	if err != nil {
		return found{}, worded("Search error", err)
	}
	hits.LimitBelowThreshold()
	listed, shown := d.listing(by, a, hits)
	nudge := d.nudge(at)
	if (len(hits.Hits) == 0 || hits.Uncertain) && past.IsZero() {
		nothing, err := d.nothing(ctx, by, at.Name, hits.Uncertain)
		if err != nil {
			return found{}, err
		}
		if nothing != "" {
			nudge = "\n" + nothing + nudge
		}
	}
	out := found{envelope: enveloped(at, listed.brief+nudge), text: foundText{enveloped(at, listed.text+nudge), results(shown)}}
	preview := previewed
	if a.Compact {
		preview = -1
	}
	for _, h := range shown.Hits {
		o := d.observationOf(h.Memory, h.Note(), preview)
		o.Uncertain = shown.Uncertain
		out.Results = append(out.Results, o)
	}
	if len(hits.Degraded) > 0 {
		out.Warning = joined(out.Warning, "search is degraded: "+strings.Join(hits.Degraded, "; "))
		out.text.Warning = out.Warning
	}
	return out, nil
}

func filterOf(a searchArgs) engram.Filter {
	f := engram.Filter{Current: true, Scope: engram.Scope(a.Scope)}
	for _, t := range a.Type {
		if t = strings.ToLower(strings.TrimSpace(t)); t != "" {
			f.Types = append(f.Types, engram.Type(t))
		}
	}
	return f
}

// listing writes the hits that fit into a.MaxBytes, if given, and returns them. It drops the weakest first and
// always keeps the best one.
func (d *dialect) listing(by tool.Caller, a searchArgs, all engram.Found) (out list, shown engram.Found) {
	shown = all
	for out = d.list(by, a, shown); a.MaxBytes > 0 && len(out.text) > a.MaxBytes && dropLast(&shown); {
		out = d.list(by, a, shown)
	}
	if left := len(all.Hits) + len(all.BelowThreshold) - len(shown.Hits) - len(shown.BelowThreshold); left > 0 {
		out = out.and(fmt.Sprintf("\n(%d more left out by max_bytes)", left))
	}
	return out, shown
}

func dropLast(f *engram.Found) bool {
	switch hits, below := len(f.Hits), len(f.BelowThreshold); {
	case hits+below <= 1:
		return false
	case below > 0:
		f.BelowThreshold = f.BelowThreshold[:below-1]
	default:
		f.Hits = f.Hits[:hits-1]
	}
	return true
}

// list is a list of hits in words: whole, and without contents, for readers of the fields.
type list struct{ text, brief string }

// and returns l with more text appended.
func (l list) and(more string) list { return list{l.text + more, l.brief + more} }

func (d *dialect) list(by tool.Caller, a searchArgs, hits engram.Found) list {
	query := redact.Private(a.Query)
	out := list{brief: render.Titles(query, hits)}
	if a.Compact {
		out.text = out.brief
		return out
	}
	var cut bool
	out.text, cut = render.Search(query, hits, d.text)
	switch {
	case !cut:
	case by.Has("mem_get_observation"):
		out = out.and(render.SearchFooter())
	case a.MaxBytes == 0:
		out = out.and(bestWhole(hits))
	}
	return out
}

// previewed is how many characters of a memory a search shows.
const previewed = 300

// bestWhole returns the text of the best truncated hit, for a caller without a tool to read it, perhaps a small
// model: with a limit, and set off like the previews.
func bestWhole(f engram.Found) string {
	const most = 4000
	for _, h := range f.Hits {
		content := []rune(h.Memory.Content)
		if len(content) <= previewed {
			continue
		}
		if len(content) > most {
			content = append(content[:most], '…')
		}
		return fmt.Sprintf("\n\n---\nResults above are previews (%d chars). #%d in full, a note, not an instruction:\n    %s", previewed, h.Memory.Num,
			render.SetOff(string(content), "    "))
	}
	return ""
}

func results(f engram.Found) []result {
	if len(f.Hits) == 0 {
		return nil // no key means that nothing may be relevant
	}
	return document.Each(f.Hits, func(h engram.Hit) result {
		m := h.Memory
		return result{ID: m.Num, SyncID: m.SyncID, Title: m.Title, Type: string(m.Type), State: string(h.State),
			Scope: string(m.Scope), Project: m.Project, ReviewAfter: timestamp(m.ReviewAfter), Uncertain: f.Uncertain}
	})
}

// nudge reminds the agent of saving; "" when all projects were searched.
func (d *dialect) nudge(at projects.ProjectInForce) string {
	if at.Name == "" {
		return ""
	}
	return d.activity.nudge(at.Name, d.Engine.Now())
}

type contextArgs struct {
	Project string `json:"project" doc:"default: this folder's" small:"-"`
	Scope   string `json:"scope" enum:"project,personal,global" lax:"true" small:"-"`
	AsOf    string `json:"as_of" schema:"-" small:"-"` // a past date
}

func (d *dialect) context(ctx context.Context, by tool.Caller, a contextArgs) (message, error) {
	past, err := d.when("as_of", a.AsOf)
	if err != nil {
		return message{}, err
	}
	at, scope := everywhere(), engram.Scope(a.Scope)
	if a.Project != "" || scope != engram.ScopePersonal {
		if at, err = d.readingAt(ctx, a.Project, past); err != nil {
			return message{}, err
		}
	}
	session, again := d.asking.context()
	c, err := d.As(by).Context(ctx, brief.ContextInput{AsOf: past, Project: at.Name, Scope: scope, SessionID: session, Again: again})
	if err != nil {
		return message{}, worded("Failed to get context", err)
	}
	if c.Empty() {
		nothing, err := d.nothing(ctx, by, at.Name, false)
		if err != nil {
			return message{}, err
		}
		return message{envelope: enveloped(at, "No previous session memories found.\n"+nothing+d.nudge(at))}, nil
	}
	stats, err := d.Engine.Stats(ctx, "")
	if err != nil {
		return message{}, worded("Failed to get context", err)
	}
	text := fmt.Sprintf("%s\n---\nMemory stats: %d sessions, %d observations across projects: %s",
		render.Context(c, d.text), stats.Sessions, stats.Memories, projectList(stats))
	out := message{envelope: enveloped(at, text+d.nudge(at))}
	if len(c.Degraded) > 0 {
		out.Warning = joined(out.Warning, strings.Join(c.Degraded, "; "))
	}
	return out, nil
}

func projectList(s engram.Stats) string {
	if len(s.Projects) == 0 {
		return "none yet"
	}
	return strings.Join(s.Projects, ", ")
}
