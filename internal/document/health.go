package document

import "github.com/alanbuscaglia/engram/internal/health"

// Report is what a doctor found, in the words of the mem_* dialect: the command line,
// HTTP and MCP show the same. What needs no explaining stays out of the schema of the tool:
// every agent pays for it in each session.
type Report struct {
	Status  string  `json:"status"`                       // ok, warning, blocked or error: the worst of the checks
	Project string  `json:"project,omitempty" schema:"-"` // left out when every project was looked at
	Summary Summary `json:"summary" schema:"-"`
	Checks  []Check `json:"checks" schema:"-"`
}

// Summary counts checks by their result.
type Summary struct {
	Total    int `json:"total"`
	OK       int `json:"ok"`
	Warnings int `json:"warnings"`
	Blocked  int `json:"blocked"`
	Errors   int `json:"errors"`
}

// Check is the outcome of one check.
type Check struct {
	CheckID  string         `json:"check_id"`
	Result   string         `json:"result"`   // ok, warning, blocked or error
	Severity string         `json:"severity"` // info, warning, blocking or error
	Reason   string         `json:"reason_code"`
	Message  string         `json:"message"`
	Why      string         `json:"why"`
	Evidence map[string]any `json:"evidence"`
	Next     string         `json:"safe_next_step"`
	Confirm  bool           `json:"requires_confirmation"`
	Findings []Finding      `json:"findings,omitempty"`
}

// Finding is one case of what a check found.
type Finding struct {
	CheckID  string         `json:"check_id"`
	Severity string         `json:"severity"`
	Reason   string         `json:"reason_code"`
	Message  string         `json:"message"`
	Why      string         `json:"why"`
	Evidence map[string]any `json:"evidence"`
	Next     string         `json:"safe_next_step"`
	Confirm  bool           `json:"requires_confirmation"`
}

// ReportOf writes a report.
func ReportOf(r health.Report) Report {
	return Report{Status: string(r.Status), Project: r.Project, Summary: Summary(r.Summary), Checks: Each(r.Checks, checkOf)}
}

func checkOf(c health.Check) Check {
	doc := Check{CheckID: string(c.Check), Result: string(c.Result), Severity: string(c.Severity), Reason: c.Reason, Message: c.Message,
		Why: c.Why, Evidence: c.Evidence, Next: c.Next, Confirm: c.Confirm}
	for _, f := range c.Findings {
		doc.Findings = append(doc.Findings, Finding{CheckID: string(f.Check), Severity: string(f.Severity), Reason: f.Reason, Message: f.Message,
			Why: f.Why, Evidence: f.Evidence, Next: f.Next, Confirm: f.Confirm})
	}
	return doc
}
