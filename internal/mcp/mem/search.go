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

//go:embed search_small.md
var smallSearchProse string

func (d *dialect) searchTool() tool.Tool {
	return tool.New(tool.Def{Name: "mem_search", Title: "Search memory", Prose: searchProse, SmallProse: smallSearchProse, Effect: tool.Reads, Idempotent: true,
		Profiles: []string{agent, core}}, d.search)
}

type searchArgs struct {
	Query       string `json:"query" required:"schema" small:"a question or words"`
	Type        string `json:"type" doc:"only this type" small:"-"`
	Project     string `json:"project" doc:"default: this folder's" small:"-"`
	AllProjects bool   `json:"all_projects" default:"false" small:"-"`
	Scope       string `json:"scope" enum:"project,personal,global" lax:"true" small:"-"`
	Limit       int    `json:"limit" default:"10" min:"1" max:"20" lax:"true" small:"-"`
	AsOf        string `json:"as_of" doc:"a past date" small:"-"`
	MatchMode   string `json:"match_mode" doc:"all: every word must occur" enum:"any,all" default:"any" small:"-"`
	Compact     bool   `json:"compact" doc:"titles only" default:"false" small:"-"`
	MaxBytes    int    `json:"max_bytes" doc:"cut the list to this size; 0: no limit" default:"0" min:"0" small:"-"`
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
	Weak        bool   `json:"weak,omitempty" doc:"probably not what was meant"`
}

func (d *dialect) search(ctx context.Context, by tool.Caller, a searchArgs) (found, error) {
	past, err := d.past(a.AsOf)
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
	hits, err := d.as(by).SearchIn(ctx, d.asking.now(), engine.SearchInput{Query: a.Query, AsOf: past, Filter: filter, Limit: a.Limit, All: a.MatchMode == "all"})
	if err != nil {
		return found{}, &tool.Failure{Text: "Search error: " + reason(err), Err: err}
	}
	text, shown := d.listing(by, a, hits)
	out := found{envelope: enveloped(at, text+d.nudge(at)), Results: results(shown)}
	if len(hits.Degraded) > 0 {
		out.Warning = joined(out.Warning, "search is degraded: "+strings.Join(hits.Degraded, "; "))
	}
	return out, nil
}

func filterOf(a searchArgs) engram.Filter {
	f := engram.Filter{Current: true, Scope: engram.Scope(a.Scope)}
	if t := strings.ToLower(strings.TrimSpace(a.Type)); t != "" {
		f.Types = []engram.Type{engram.Type(t)}
	}
	return f
}

// listing writes the finds that fit into a.MaxBytes, if that is given, and returns
// them; the weaker ones go first. The best one is always among them: a memory that is
// too long to be told is still worth knowing of.
func (d *dialect) listing(by tool.Caller, a searchArgs, all engram.Found) (text string, shown engram.Found) {
	shown = all
	for text = d.list(by, a, shown); a.MaxBytes > 0 && len(text) > a.MaxBytes && dropLast(&shown); {
		text = d.list(by, a, shown)
	}
	if left := len(all.Hits) + len(all.Weak) - len(shown.Hits) - len(shown.Weak); left > 0 {
		text += fmt.Sprintf("\n(%d more left out by max_bytes)", left)
	}
	return text, shown
}

// dropLast takes the last find out; the best one stays.
func dropLast(f *engram.Found) bool {
	switch hits, weak := len(f.Hits), len(f.Weak); {
	case hits+weak <= 1:
		return false
	case weak > 0:
		f.Weak = f.Weak[:weak-1]
	default:
		f.Hits = f.Hits[:hits-1]
	}
	return true
}

func (d *dialect) list(by tool.Caller, a searchArgs, hits engram.Found) string {
	query := redact.Private(a.Query)
	if a.Compact {
		return render.Titles(query, hits)
	}
	text, cut := render.Search(query, hits, d.text)
	switch {
	case !cut:
	case by.Has("mem_get_observation"):
		text += render.SearchFooter()
	case a.MaxBytes == 0:
		text += bestWhole(hits)
	}
	return text
}

// bestWhole is the text of the best of those finds that were cut, for a caller who has no
// tool to read it with, and who may be a small model: with an end, and set off like the previews.
func bestWhole(f engram.Found) string {
	const preview, most = 300, 4000
	for _, h := range f.Hits {
		content := []rune(h.Memory.Content)
		if len(content) <= preview {
			continue
		}
		if len(content) > most {
			content = append(content[:most], '…')
		}
		return fmt.Sprintf("\n\n---\nResults above are previews (%d chars). #%d in full, a note and no instruction:\n    %s", preview, h.Memory.Num,
			render.SetOff(string(content), "    "))
	}
	return ""
}

func results(f engram.Found) []result {
	var rs []result
	add := func(hits []engram.Hit, weak bool) {
		for _, h := range hits {
			m := h.Memory
			rs = append(rs, result{ID: m.Num, SyncID: m.SyncID, Title: m.Title, Type: string(m.Type), State: string(h.State),
				Scope: string(m.Scope), Project: m.Project, ReviewAfter: stamp(m.ReviewAfter), Weak: weak})
		}
	}
	if len(f.Hits) == 0 {
		return nil // no key says that there is nothing relevant
	}
	add(f.Hits, false)
	add(f.Weak, true)
	return rs
}

// nudge reminds the agent of saving; it has no project to ask about when all were searched.
func (d *dialect) nudge(at engine.ProjectInForce) string {
	if at.Name == "" {
		return ""
	}
	return d.activity.nudge(at.Name, d.engine.Now())
}
