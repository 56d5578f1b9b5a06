package cli

import (
	"encoding/json"
	"strings"

	"github.com/spf13/cobra"

	"github.com/alanbuscaglia/engram/internal/document"
	"github.com/alanbuscaglia/engram/internal/engine"
	"github.com/alanbuscaglia/engram/internal/render"
)

func (p *program) doctorRepairCommand() *cobra.Command {
	var check string
	var plan, dryRun, apply bool
	cmd := &cobra.Command{
		Use:   "repair --project NAME --check CHECK (--plan | --dry-run | --apply)",
		Short: "Move sessions to the project they belong to",
		Long: `Move the sessions that a check reports, with their memories and prompts, to the project they belong to. The output is
JSON. --plan and --dry-run change nothing; --apply makes a backup first, and engram undo reverts it.`,
		Example: examples("engram doctor repair --project shop --check session_project_directory_mismatch --plan",
			"engram doctor repair --project shop --check manual_session_name_project_mismatch --apply"),
		Args: between(0, 0),
		RunE: func(cmd *cobra.Command, _ []string) error {
			modes := map[engine.RepairMode]bool{engine.RepairPlan: plan, engine.RepairDryRun: dryRun, engine.RepairApply: apply}
			var mode engine.RepairMode
			for m, asked := range modes {
				if asked && mode != "" {
					return invalidf("--plan, --dry-run and --apply exclude each other").WithHint("usage: %s", cmd.UseLine())
				}
				if asked {
					mode = m
				}
			}
			if mode == "" {
				return invalidf("one of --plan, --dry-run and --apply is required").WithHint("usage: %s", cmd.UseLine())
			}
			if check == "" {
				return invalidf("--check is required").WithHint("usage: %s", cmd.UseLine())
			}
			if err := knownCheck(check); err != nil {
				return err
			}
			return p.repair(cmd, check, mode)
		},
	}
	cmd.Flags().StringVar(&check, "check", "", "the `check` whose findings are repaired")
	cmd.Flags().BoolVar(&plan, "plan", false, "list the sessions that would move")
	cmd.Flags().BoolVar(&dryRun, "dry-run", false, "move them in a transaction, count, and roll back")
	cmd.Flags().BoolVar(&apply, "apply", false, "make a backup and move them")
	return cmd
}

func (p *program) repair(cmd *cobra.Command, check string, mode engine.RepairMode) error {
	e, err := p.openDoubted(cmd)
	if err != nil {
		return err
	}
	in := p.doctorInput(check, false)
	if in.All {
		return invalidf("a project is required").WithHint("add --project NAME")
	}
	r, err := e.Repair(cmd.Context(), engine.RepairInput{Project: in.Project.Explicit, Check: check, Mode: mode})
	if err != nil {
		return err
	}
	return p.answer(repairOf(r), func(b *strings.Builder) {
		// It has always been JSON, and every value is a name, a number or a path.
		text, _ := json.MarshalIndent(repairOf(r), "", "  ")
		b.Write(append(render.JSON(text), '\n'))
	})
}

// repairedDoc is the answer of `doctor repair`, in the words of older programs: an
// observation is a memory.
type repairedDoc struct {
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
	Source  string `json:"evidence_source,omitempty"` // how the folder told its project
	Path    string `json:"evidence_path,omitempty"`
}

// repairSkip is a session that is left.
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

func repairOf(r engine.Repair) repairedDoc {
	return repairedDoc{
		Project: r.Project, Check: r.Check, Mode: string(r.Mode), Status: r.Status, Backup: r.Backup,
		Actions: document.Each(r.Actions, func(a engine.RepairAction) repairStep {
			return repairStep{a.Session, a.From, a.To, r.Check, a.Source, a.Path}
		}),
		Skipped: document.Each(r.Skipped, func(s engine.RepairSkip) repairSkip { return repairSkip(s) }),
		Counts:  repairCounts(r.Counts),
	}
}
