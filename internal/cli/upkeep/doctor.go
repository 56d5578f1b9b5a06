// Package upkeep holds the commands that look after a store and measure it: doctor, decay, sleep, prune, diagnostics and
// reembed (decay.go), stats and metrics (stats.go), projects and eval.
package upkeep

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/alanbuscaglia/engram"
	"github.com/alanbuscaglia/engram/internal/cli/command"
	"github.com/alanbuscaglia/engram/internal/document"
	"github.com/alanbuscaglia/engram/internal/engine"
	"github.com/alanbuscaglia/engram/internal/engine/consolidate"
	"github.com/alanbuscaglia/engram/internal/health"
	"github.com/alanbuscaglia/engram/internal/render"
	"github.com/alanbuscaglia/engram/internal/text"
)

// Commands returns the commands that maintain and measure a store.
func Commands() []command.Maker {
	return []command.Maker{
		command.In(command.GroupMemory, "decay", decayCommand),
		command.In(command.GroupMemory, "sleep", sleepCommand),
		command.In(command.GroupMemory, "prune", pruneCommand),
		command.In(command.GroupMemory, "reembed", reembedCommand),
		command.In(command.GroupWork, "projects project", projectsCommand),
		command.In(command.GroupWork, "stats", statsCommand),
		command.In(command.GroupWork, "metrics", metricsCommand),
		command.In(command.GroupProgram, "doctor", doctorCommand),
		command.In(command.GroupProgram, "diagnostics", diagnosticsCommand),
		command.In(command.GroupProgram, "eval", evalCommand),
	}
}

func doctorCommand(p *command.Program) *cobra.Command {
	var check string
	var full, fix bool
	cmd := &cobra.Command{
		Use:   "doctor",
		Short: "Check the store, and repair it with --fix",
		Long: `Check the store: the database, its indexes, sessions, the clock and the disk. Without --fix nothing is changed. With --fix
a backup is made, safe repairs are applied, and each one is reported.`,
		Example: command.Examples("engram doctor", "engram doctor --check disk_space --json", "engram doctor --full", "engram doctor --fix"),
		RunE: func(cmd *cobra.Command, _ []string) error {
			if err := knownCheck(check); err != nil {
				return err
			}
			e, err := p.OpenUnmapped(cmd)
			if err != nil {
				return err
			}
			p.WarnBeside(command.Strays()...)
			if fix {
				return applyFixes(p, cmd, e, doctorInput(p, check, full))
			}
			return doctor(p, cmd, e, doctorInput(p, check, full))
		},
	}
	cmd.Flags().StringVar(&check, "check", "", "run only this `check`")
	cmd.Flags().BoolVar(&full, "full", false, "read every index entry and every text (slower)")
	cmd.Flags().BoolVar(&fix, "fix", false, "make a backup and apply safe repairs")
	cmd.AddCommand(doctorRepairCommand(p))
	return cmd
}

// doctorInput covers every project unless one is named.
func doctorInput(p *command.Program, check string, full bool) consolidate.DoctorInput {
	in := consolidate.DoctorInput{All: !p.ProjectGiven(), Check: check, Full: full}
	if !in.All {
		in.Project.Explicit = p.Loaded.Project
	}
	return in
}

// doctor prints a report. An error in it fails the command, so that scripts notice.
func doctor(p *command.Program, cmd *cobra.Command, e *engine.Engine, in consolidate.DoctorInput) error {
	end := p.Progress("looking").Waiting()
	r, err := e.Doctor(cmd.Context(), in)
	end()
	if err != nil {
		return err
	}
	if err := p.Answer(document.ReportOf(r), func(b *strings.Builder) { writeReport(b, r) }); err != nil {
		return err
	}
	return reportError(r)
}

// applyFixes repairs the store, and prints the repairs and a new report.
func applyFixes(p *command.Program, cmd *cobra.Command, e *engine.Engine, in consolidate.DoctorInput) error {
	bar := p.Progress("embedding")
	m, err := e.Fix(cmd.Context(), consolidate.FixInput{DoctorInput: in, Progress: bar.Report})
	bar.End()
	if err != nil {
		return err
	}
	if err := p.Answer(fixedOf(m), func(b *strings.Builder) { writeFixed(b, m) }); err != nil {
		return err
	}
	return reportError(m.Report)
}

// FixedDoc is the answer of `doctor --fix`: the repairs, and the report after them.
type FixedDoc struct {
	document.Report
	Backup string   `json:"backup_path"` // "" if the database needed no change
	Fixed  []fixDoc `json:"fixed"`
}

// fixDoc is one repair.
type fixDoc struct {
	CheckID string `json:"check_id"`
	Remedy  string `json:"remedy"`
	Reason  string `json:"reason"` // finding of the check
	Done    string `json:"done"`   // "" if it failed
	Error   string `json:"error"`  // "" if it succeeded
}

func fixedOf(m consolidate.Fixed) FixedDoc {
	return FixedDoc{document.ReportOf(m.Report), m.Backup, document.Each(m.Steps, func(s consolidate.Fix) fixDoc {
		d := fixDoc{CheckID: string(s.Check), Remedy: string(s.Remedy), Reason: s.Reason, Done: s.Done}
		if s.Err != nil {
			d.Done, d.Error = "", command.MessageOf(s.Err)
		}
		return d
	})}
}

func writeFixed(b *strings.Builder, m consolidate.Fixed) {
	if m.Backup != "" {
		fmt.Fprintf(b, "Backup: %s\n", render.Line(m.Backup, 0))
	}
	for _, s := range m.Steps {
		if s.Err != nil {
			fmt.Fprintf(b, "✗ cannot repair %s: %s\n", s.Check, render.Line(command.MessageOf(s.Err), 0))
			continue
		}
		fmt.Fprintf(b, "✓ %s: %s\n", s.Check, render.Line(s.Done, 0))
	}
	if len(m.Steps) == 0 {
		fmt.Fprintln(b, "There is nothing to repair automatically.")
	}
	fmt.Fprintln(b)
	writeReport(b, m.Report)
}

func reportError(r health.Report) error {
	if r.Status != health.Failed {
		return nil
	}
	return engram.Errorf(engram.CodeInternal, "doctor found %s", command.Count(r.Summary.Errors, "error", "errors")).
		WithHint("the report says how to fix each")
}

// knownCheck rejects unknown checks and suggests the nearest known one.
func knownCheck(check string) error {
	if check == "" || health.Known(health.ID(check)) {
		return nil
	}
	names := command.Texts(health.IDs())
	hint := "use one of: " + strings.Join(names, ", ")
	if near := text.Nearest(check, names); near != "" {
		hint = "did you mean " + near + "?"
	}
	return command.Invalidf("doctor failed: invalid diagnostic check: %q", check).WithHint("%s", hint)
}

// writeReport writes a line for each check, and below failed ones the findings and what to do.
func writeReport(b *strings.Builder, r health.Report) {
	if r.Project != "" {
		fmt.Fprintf(b, "Project %s\n", render.Line(r.Project, 0))
	}
	if len(r.Checks) > 0 && r.Checks[0].Evidence["exists"] == false {
		fmt.Fprintf(b, "There is no database yet: %v\n", r.Checks[0].Evidence["database"])
	}
	for _, c := range r.Checks {
		fmt.Fprintf(b, "%s %s", cmp.Or(map[health.Status]string{health.OK: "✓", health.Failed: "✗"}[c.Result], "!"), c.Check)
		if c.Result == health.OK {
			if !strings.HasSuffix(c.Reason, "_ok") { // OK, with a remark
				fmt.Fprintf(b, ": %s", render.Line(c.Message, 0))
			}
			fmt.Fprintln(b)
			continue
		}
		reported := func(by health.Check) bool {
			return by.Result == health.Failed && strings.Contains(c.Next, " "+string(by.Check)+" ")
		}
		if strings.HasSuffix(c.Reason, "_not_checked") && slices.ContainsFunc(r.Checks, reported) {
			fmt.Fprintln(b, ": not checked")
			continue
		}
		fmt.Fprintf(b, ": %s\n", render.Line(c.Message, 0))
		writeFindings(b, c)
		fmt.Fprintf(b, "    why:  %s\n    next: %s\n", render.Line(c.Why, 0), render.Line(c.Next, 0))
	}
	s := r.Summary
	fmt.Fprintf(b, "\n%s: %d ok, %s, %d blocked, %s\n", command.Count(s.Total, "check", "checks"), s.OK,
		command.Count(s.Warnings, "warning", "warnings"), s.Blocked, command.Count(s.Errors, "error", "errors"))
}

// writeFindings lists the first few findings; --json has more.
func writeFindings(b *strings.Builder, c health.Check) {
	const most = 5
	for i, f := range c.Findings {
		if i == most {
			fmt.Fprintf(b, "    - and %d more; --json shows them\n", len(c.Findings)-most)
			return
		}
		if !strings.HasSuffix(c.Message, f.Message) { // not a repetition of the check's message
			fmt.Fprintf(b, "    - %s\n", render.Line(f.Message, 0))
		}
	}
}

func doctorRepairCommand(p *command.Program) *cobra.Command {
	var check string
	var plan, dryRun, apply bool
	cmd := &cobra.Command{
		Use:   "repair --project NAME --check CHECK (--plan | --dry-run | --apply)",
		Short: "Move sessions to the project they belong to",
		Long: `Move the sessions that a check reports, with their memories and prompts, to the project they belong to. The output is
JSON. --plan and --dry-run change nothing; --apply makes a backup first, and engram undo reverts it.`,
		Example: command.Examples("engram doctor repair --project shop --check session_project_directory_mismatch --plan",
			"engram doctor repair --project shop --check manual_session_name_project_mismatch --apply"),
		RunE: func(cmd *cobra.Command, _ []string) error {
			modes := map[consolidate.RepairMode]bool{consolidate.RepairPlan: plan, consolidate.RepairDryRun: dryRun, consolidate.RepairApply: apply}
			var mode consolidate.RepairMode
			for m, asked := range modes {
				if asked && mode != "" {
					return command.Invalidf("--plan, --dry-run and --apply exclude each other").WithHint("usage: %s", cmd.UseLine())
				}
				if asked {
					mode = m
				}
			}
			if mode == "" {
				return command.Invalidf("one of --plan, --dry-run and --apply is required").WithHint("usage: %s", cmd.UseLine())
			}
			if check == "" {
				return command.Invalidf("--check is required").WithHint("usage: %s", cmd.UseLine())
			}
			if err := knownCheck(check); err != nil {
				return err
			}
			return repair(p, cmd, check, mode)
		},
	}
	cmd.Flags().StringVar(&check, "check", "", "the `check` whose findings are repaired")
	cmd.Flags().BoolVar(&plan, "plan", false, "list the sessions that would move")
	cmd.Flags().BoolVar(&dryRun, "dry-run", false, "move them in a transaction, count, and roll back")
	cmd.Flags().BoolVar(&apply, "apply", false, "make a backup and move them")
	return cmd
}

func repair(p *command.Program, cmd *cobra.Command, check string, mode consolidate.RepairMode) error {
	e, err := p.OpenUnmapped(cmd)
	if err != nil {
		return err
	}
	in := doctorInput(p, check, false)
	if in.All {
		return command.Invalidf("a project is required").WithHint("add --project NAME")
	}
	r, err := e.Repair(cmd.Context(), consolidate.RepairInput{Project: in.Project.Explicit, Check: check, Mode: mode})
	if err != nil {
		return err
	}
	p.JSON = true // its output is JSON in any case
	return p.Answer(repairOf(r), nil)
}

// RepairedDoc is the answer of `doctor repair`, in the vocabulary of older programs: an observation is a
// memory.
type RepairedDoc struct {
	Project string       `json:"project"`
	Check   string       `json:"check"`
	Mode    string       `json:"mode"`   // plan, dry_run, apply
	Status  string       `json:"status"` // planned, dry_run, applied, noop
	Actions []repairStep `json:"actions"`
	Skipped []repairSkip `json:"skipped"`
	Counts  repairCounts `json:"counts"`
	Backup  string       `json:"backup_path,omitempty"`
}

// repairStep moves one session.
type repairStep struct {
	Session string `json:"session_id"`
	From    string `json:"from_project"`
	To      string `json:"to_project"`
	Reason  string `json:"reason_code"`
	Source  string `json:"evidence_source,omitempty"` // how the project of the folder was found
	Path    string `json:"evidence_path,omitempty"`
}

// repairSkip is a session that stays where it is.
type repairSkip struct {
	Session string `json:"session_id"`
	Reason  string `json:"reason_code"`
	Message string `json:"message"`
}

// repairCounts counts what moves.
type repairCounts struct {
	SessionsPlanned int `json:"sessions_planned"`
	MemoriesPlanned int `json:"observations_planned"`
	PromptsPlanned  int `json:"prompts_planned"`
	SessionsApplied int `json:"sessions_applied"`
	MemoriesApplied int `json:"observations_applied"`
	PromptsApplied  int `json:"prompts_applied"`
}

func repairOf(r consolidate.Repair) RepairedDoc {
	return RepairedDoc{
		Project: r.Project, Check: r.Check, Mode: string(r.Mode), Status: r.Status, Backup: r.Backup,
		Actions: document.Each(r.Actions, func(a consolidate.RepairAction) repairStep {
			return repairStep{a.Session, a.From, a.To, r.Check, a.Source, a.Path}
		}),
		Skipped: document.Each(r.Skipped, func(s consolidate.RepairSkip) repairSkip { return repairSkip(s) }),
		Counts:  repairCounts(r.Counts),
	}
}
