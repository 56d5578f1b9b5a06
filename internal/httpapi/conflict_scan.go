package httpapi

import (
	"net/http"
	"strings"
	"time"

	"github.com/alanbuscaglia/engram"
	"github.com/alanbuscaglia/engram/internal/engine"
	"github.com/alanbuscaglia/engram/internal/text"
)

// noRunner is what older clients are told when nobody is there who could judge.
const noRunner = "failed to resolve agent runner: invalid runner name: ENGRAM_AGENT_CLI is not set; supported values are: claude, opencode"

// scannedDoc says what a scan saw and did.
type scannedDoc struct {
	Project         string `json:"project"`
	Inspected       int    `json:"inspected"`
	Candidates      int    `json:"candidates_found"`
	AlreadyRelated  int    `json:"already_related"`
	Inserted        int    `json:"inserted"`
	Capped          bool   `json:"capped"`
	DryRun          bool   `json:"dry_run"`
	SemanticJudged  int    `json:"semantic_judged"`
	SemanticSkipped int    `json:"semantic_skipped"`
	SemanticErrors  int    `json:"semantic_errors"`
	Warning         string `json:"warning,omitempty"`
}

// scanBody asks for a scan.
type scanBody struct {
	Project     string `json:"project" required:"true" doc:"where to look"`
	Since       string `json:"since" doc:"only memories made then or later"`
	Apply       bool   `json:"apply" default:"false" doc:"keep what is found as candidates; else only look"`
	MaxInsert   *int   `json:"max_insert" min:"1" max:"10000" default:"100" doc:"how many candidates to keep at most"`
	Semantic    bool   `json:"semantic" default:"false" doc:"let the configured agent judge them"`
	Concurrency *int   `json:"concurrency" min:"1" max:"20" default:"5" doc:"calls at once"`
	Timeout     *int   `json:"timeout_per_call_seconds" min:"1" max:"600" default:"60" doc:"how long a call may take"`
	MaxSemantic *int   `json:"max_semantic" min:"1" max:"10000" default:"100" doc:"how many pairs to judge at most"`
}

func (a *API) scanConflicts(q request, in scanBody) (reply, error) {
	if blank(in.Project) {
		return reply{}, invalid("project is required")
	}
	scan := engine.ScanInput{Project: in.Project, Apply: in.Apply, Semantic: in.Semantic}
	for _, n := range []struct {
		name  string
		given *int
		most  int
		put   func(int)
	}{
		{"max_insert", in.MaxInsert, engine.MostScanPairs, func(n int) { scan.MaxInsert = n }},
		{"max_semantic", in.MaxSemantic, engine.MostScanPairs, func(n int) { scan.MaxSemantic = n }},
		{"concurrency", in.Concurrency, engine.MostScanCalls, func(n int) { scan.Concurrency = n }},
		{"timeout_per_call_seconds", in.Timeout, int(engine.MostScanWait / time.Second), func(n int) { scan.TimeoutPerCall = time.Duration(n) * time.Second }},
	} {
		if n.given == nil {
			continue
		}
		if *n.given < 1 || *n.given > n.most {
			return reply{}, invalid("%s must be between 1 and %d", n.name, n.most)
		}
		n.put(*n.given)
	}
	if since := strings.TrimSpace(in.Since); since != "" {
		t, ok := text.When(since, a.Engine.Now().UTC())
		if !ok {
			return reply{}, invalid("invalid since: must be RFC3339").WithHint("%s", text.WhenForms)
		}
		scan.Since = t.UTC()
	}
	res, err := a.Engine.Scan(q.Context(), scan)
	if engram.CodeOf(err) == engram.CodeUnavailable && in.Semantic && !a.Engine.CanJudge() {
		return reply{}, refuse(http.StatusInternalServerError, engram.Errorf(engram.CodeUnavailable, noRunner).WithCause(err))
	}
	return reply{body: scannedOf(res)}, err
}

func scannedOf(s engine.Scanned) scannedDoc {
	d := scannedDoc{s.Project, s.Inspected, s.Found, s.AlreadyRelated, s.Inserted, s.Capped, s.DryRun, s.Judged, s.Skipped, s.Errors, ""}
	if s.Errors > 0 {
		d.Warning = s.Trouble
	}
	return d
}
