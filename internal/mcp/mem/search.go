package mem

import (
	"context"
	_ "embed"
	"fmt"
	"strings"

	"github.com/alanbuscaglia/engram"
	"github.com/alanbuscaglia/engram/internal/engine"
	"github.com/alanbuscaglia/engram/internal/mcp/tool"
	"github.com/alanbuscaglia/engram/internal/redact"
	"github.com/alanbuscaglia/engram/internal/render"
)

//go:embed search.md
var searchProse string

func (d *dialect) searchTool() tool.Tool {
	return tool.New(tool.Def{Name: "mem_search", Title: "Search memory", Prose: searchProse, Effect: tool.Reads, Idempotent: true,
		Profiles: []string{agent, core}}, d.search)
}

type searchArgs struct {
	Query       string `json:"query" required:"schema"`
	Type        string `json:"type" doc:"only this type"`
	Project     string `json:"project" doc:"default: this folder's"`
	AllProjects bool   `json:"all_projects" default:"false"`
	Scope       string `json:"scope" enum:"project,personal,global" lax:"true"`
	Limit       int    `json:"limit" default:"10" min:"1" max:"20" lax:"true"`
	MatchMode   string `json:"match_mode" doc:"all: every word must occur" enum:"any,all" default:"any"`
	Compact     bool   `json:"compact" doc:"titles only" default:"false"`
	MaxBytes    int    `json:"max_bytes" doc:"cut the list to this size; 0: no limit" default:"0" min:"0"`
}

// found is the answer to a search. Results is nil, and its key left out, when nothing
// was found: clients of the dialect ask for the key.
type found struct {
	envelope
	Results []result `json:"results,omitempty"`
}

type result struct {
	ID          int64  `json:"id"`
	SyncID      string `json:"sync_id" schema:"-"`
	Title       string `json:"title"`
	Type        string `json:"type"`
	State       string `json:"state" schema:"-"`
	Scope       string `json:"scope" schema:"-"`
	Project     string `json:"project,omitempty" schema:"-"`
	ReviewAfter string `json:"review_after,omitempty" schema:"-"`
}

func (d *dialect) search(ctx context.Context, by tool.Caller, a searchArgs) (found, error) {
	at, filter := everywhere(), filterOf(a)
	if !a.AllProjects && (a.Project != "" || filter.Scope != engram.ScopePersonal) {
		var err error
		if at, err = d.reading(ctx, a.Project); err != nil {
			return found{}, err
		}
		filter.Project = at.Name
	}
	hits, err := d.as(by).Search(ctx, engine.SearchInput{Query: a.Query, Filter: filter, Limit: a.Limit, All: a.MatchMode == "all"})
	if err != nil {
		return found{}, &tool.Failure{Text: "Search error: " + reason(err), Err: err}
	}
	text, shown := d.listing(a, hits)
	out := found{envelope: enveloped(at, text+d.nudge(at)), Results: results(hits.Hits[:shown])}
	if len(hits.Degraded) > 0 {
		out.Warning = joined(out.Warning, "search is degraded: "+strings.Join(hits.Degraded, "; "))
	}
	return out, nil
}

func filterOf(a searchArgs) engram.Filter {
	f := engram.Filter{Scope: engram.Scope(a.Scope)}
	if t := strings.ToLower(strings.TrimSpace(a.Type)); t != "" {
		f.Types = []engram.Type{engram.Type(t)}
	}
	return f
}

// listing writes the hits that fit into a.MaxBytes, if that is given, and says how
// many that are. The best one is always among them: a memory that is too long to be
// told is still worth knowing of.
func (d *dialect) listing(a searchArgs, hits engram.Found) (text string, shown int) {
	if len(hits.Hits) == 0 {
		return fmt.Sprintf("No memories found for: %q", redact.Private(a.Query)), 0
	}
	for shown = len(hits.Hits); ; shown-- {
		part := hits
		part.Hits = hits.Hits[:shown]
		text = d.list(a, part)
		if shown == 1 || a.MaxBytes <= 0 || len(text) <= a.MaxBytes {
			break
		}
	}
	if left := len(hits.Hits) - shown; left > 0 {
		text += fmt.Sprintf("\n(%d more left out by max_bytes)", left)
	}
	return text, shown
}

func (d *dialect) list(a searchArgs, hits engram.Found) string {
	if a.Compact {
		return titles(hits.Hits)
	}
	text, cut := render.Search(a.Query, hits, d.text)
	if cut {
		text += render.SearchFooter()
	}
	return text
}

// titles is the compact list: what there is, without what it says.
func titles(hits []engram.Hit) string {
	var b strings.Builder
	noun := "memories"
	if len(hits) == 1 {
		noun = "memory"
	}
	fmt.Fprintf(&b, "Found %d %s:\n", len(hits), noun)
	for i, h := range hits {
		fmt.Fprintf(&b, "\n[%d] #%d (%s) — %s", i+1, h.Memory.Num, render.Line(string(h.Memory.Type), 0), render.Line(h.Memory.Title, 0))
	}
	return b.String()
}

func results(hits []engram.Hit) []result {
	var rs []result
	for _, h := range hits {
		m := h.Memory
		rs = append(rs, result{ID: m.Num, SyncID: m.SyncID, Title: m.Title, Type: string(m.Type), State: string(h.State),
			Scope: string(m.Scope), Project: m.Project, ReviewAfter: stamp(m.ReviewAfter)})
	}
	return rs
}

// nudge reminds the agent of saving; it has no project to ask about when all were searched.
func (d *dialect) nudge(at engine.ProjectInForce) string {
	if at.Name == "" {
		return ""
	}
	return d.activity.nudge(at.Name, d.engine.Now())
}
