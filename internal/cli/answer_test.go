package cli

import (
	"github.com/alanbuscaglia/engram/internal/cli/demo"
	"github.com/alanbuscaglia/engram/internal/cli/help"
	"github.com/alanbuscaglia/engram/internal/cli/memory"
	"github.com/alanbuscaglia/engram/internal/cli/move"
	"github.com/alanbuscaglia/engram/internal/cli/review"
	"github.com/alanbuscaglia/engram/internal/cli/serve"
	"github.com/alanbuscaglia/engram/internal/cli/settings"
	"github.com/alanbuscaglia/engram/internal/cli/setup"
	"github.com/alanbuscaglia/engram/internal/cli/sync"
	"github.com/alanbuscaglia/engram/internal/cli/upkeep"
	"github.com/alanbuscaglia/engram/internal/document"
)

// An answer is a document that a command prints with --json.
type answer struct {
	when string // "" for the command itself; else the flag or the case with this answer
	doc  any    // any value of the type passed to program.answer
}

// answers says what each command prints with --json: docs/cli-json.md is made of it, and
// TestAnswersHaveTheirShape holds what the program prints against it.
//
// A new command needs a row here, by its path without "engram"; nil is for a command that
// prints no document, with the reason beside it. Then:
//
//  1. give each field of its type a comment at the end of the line, which is the meaning
//     that the page shows, unless its name says all;
//  2. add a line to shapeStory in shape_story_test.go that runs the command, or to
//     unplayed there with the reason why not;
//  3. go test ./internal/cli -run Reference -update writes the pages.
func answers() map[string][]answer {
	one := func(doc any) []answer { return []answer{{doc: doc}} }
	conflict := one(review.ConflictShownDoc{})
	return map[string][]answer{
		"":                       one(homeDoc{}),
		"backfill":               one(move.BackfillDoc{}),
		"capture":                one(memory.CapturedDoc{}),
		"completion":             nil, // a script for a shell
		"config":                 one(settings.SettingsDoc{}),
		"config get":             one(settings.SettingDoc{}),
		"config list":            one(settings.SettingsDoc{}),
		"config set":             one(settings.SetDoc{}),
		"config unset":           one(settings.SetDoc{}),
		"conflicts":              nil, // needs a subcommand
		"conflicts deferred":     {{"", review.DeferredDoc{}}, {"--replay", review.ReplayedDoc{}}},
		"conflicts ignore":       conflict,
		"conflicts judge":        conflict,
		"conflicts list":         one(review.ConflictsDoc{}),
		"conflicts scan":         one(review.ScannedDoc{}),
		"conflicts show":         conflict,
		"conflicts stats":        one(review.ConflictStatsDoc{}),
		"context":                one(memory.ContextDoc{}),
		"decay":                  one(upkeep.StrengthsDoc{}),
		"delete":                 {{"", document.Deleted{}}, {"--query", memory.ForgottenDoc{}}},
		"delete project":         one(memory.DeletedProjectDoc{}),
		"delete prompt":          one(memory.DeletedThingDoc{}),
		"delete session":         one(memory.DeletedThingDoc{}),
		"demo":                   one(demo.DemoDoc{}),
		"diagnostics":            one(document.Diagnostics{}),
		"doctor":                 {{"", document.Report{}}, {"--fix", upkeep.FixedDoc{}}},
		"doctor repair":          one(upkeep.RepairedDoc{}),
		"eval":                   {{"", upkeep.EvalDoc{}}, {"--calibrate", upkeep.CalibratedDoc{}}},
		"export":                 {{"", move.ExportedDoc{}}, {"--format obsidian", move.VaultDoc{}}},
		"get":                    one(memory.DetailDoc{}),
		"graph":                  one(document.Graph{}),
		"history":                {{"", document.History{}}, {"--version", document.Version{}}, {"--diff", document.Diff{}}},
		"import":                 {{"", move.ImportedDoc{}}, {"--format obsidian", move.VaultImportedDoc{}}},
		"ingest":                 one(memory.IngestedDoc{}),
		"link":                   one(document.Linked{}),
		"list":                   one(memory.ListDoc{}),
		"log":                    {{"", document.Log{}}, {"--compact", memory.CompactDoc{}}},
		"hook":                   nil,                        // what the agent wants
		"man":                    {{"--dir", help.ManDoc{}}}, // else a manual page
		"mark":                   one(memory.ChangedDoc{}),
		"mcp":                    nil, // the Model Context Protocol
		"metrics":                one(document.Metrics{}),
		"migrate":                {{"", move.FoundPlacesDoc{}}, {"--data-dir of an earlier Engram", move.TakenOverDoc{}}, {"--from", move.MigratedDoc{}}},
		"model":                  one(settings.ModelsDoc{}),
		"model add":              one(settings.ModelDoc{}),
		"model info":             one(settings.ModelDoc{}),
		"model list":             one(settings.ModelsDoc{}),
		"model pull":             one(settings.ModelDoc{}),
		"model use":              one(settings.SetDoc{}),
		"model rm":               one(settings.RemovedModelDoc{}),
		"model verify":           one(settings.ModelDoc{}),
		"obsidian-export":        one(move.VaultDoc{}),
		"off":                    {{"", serve.SwitchedDoc{}}, {"--check", serve.AskedOffDoc{}}},
		"on":                     one(serve.SwitchedDoc{}),
		"projects":               one(upkeep.ProjectsDoc{}),
		"projects consolidate":   one(upkeep.ConsolidateDoc{}),
		"projects decay":         one(document.ProjectDecay{}),
		"projects detect":        one(upkeep.DetectedDoc{}),
		"projects list":          one(upkeep.ProjectsDoc{}),
		"projects merge":         one(upkeep.MergedDoc{}),
		"projects prune":         one(upkeep.PrunedDoc{}),
		"projects rename":        one(upkeep.MergedDoc{}),
		"prompt":                 nil, // needs a subcommand
		"prompt list":            one(memory.PromptsDoc{}),
		"prompt save":            one(memory.PromptDoc{}),
		"prompt search":          one(memory.PromptsDoc{}),
		"prune":                  one(document.Sleep{}),
		"recall":                 one(memory.RecalledDoc{}),
		"recent":                 one(memory.ListDoc{}),
		"reembed":                one(upkeep.ReembeddedDoc{}),
		"restart":                one(serve.StartedDoc{}),
		"restore":                one(document.Memory{}),
		"review":                 one(review.ReviewQueueDoc{}),
		"review approve":         one(review.ReviewDecidedDoc{}),
		"review done":            one(review.ReviewedDoc{}),
		"review list":            one(review.ReviewQueueDoc{}),
		"review refuse":          one(review.ReviewDecidedDoc{}),
		"review show":            one(review.ReviewShownDoc{}),
		"review snooze":          one(review.ReviewedDoc{}),
		"save":                   one(document.Saved{}),
		"store":                  one(document.Saved{}),
		"store move":             one(move.StoreMovedDoc{}),
		"search":                 one(memory.FoundDoc{}),
		"serve":                  one(serve.ServingDoc{}),
		"session":                nil, // needs a subcommand
		"session end":            one(memory.SessionDoc{}),
		"session list":           one(memory.SessionsDoc{}),
		"session show":           one(memory.SessionShownDoc{}),
		"session start":          one(memory.SessionDoc{}),
		"session summary":        one(document.Saved{}),
		"setup":                  one(setup.SetupDoc{}),
		"setup service":          one(serve.ServiceDoc{}),
		"setup status":           one(setup.SetupDoc{}),
		"sleep":                  one(document.Sleep{}),
		"start":                  one(serve.StartedDoc{}),
		"stats":                  one(upkeep.StatsDoc{}),
		"status":                 one(serve.StatusDoc{}),
		"stop":                   one(serve.StoppedDoc{}),
		"sync":                   {{"", sync.PushedDoc{}}, {"--import", sync.PulledDoc{}}, {"--status", sync.SyncStatusDoc{}}},
		"sync accept":            one(review.DecidedDoc{}),
		"sync deferred":          one(review.QueueDoc{}),
		"sync drop":              one(review.DecidedDoc{}),
		"sync keygen":            one(sync.KeyDoc{}),
		"sync recipients":        one(sync.RecipientsDoc{}),
		"sync recipients add":    one(sync.RecipientsDoc{}),
		"sync recipients remove": one(sync.RecipientsDoc{}),
		"sync recipients trust":  one(sync.RecipientsDoc{}),
		"tag":                    one(memory.ChangedDoc{}),
		"timeline":               one(memory.TimelineDoc{}),
		"topic":                  one(memory.TopicDoc{}),
		"tui":                    nil, // a terminal UI
		"undo":                   {{"", document.Undone{}}, {"FIRST..LAST", memory.UndoneRangeDoc{}}},
		"unlink":                 one(document.Unlinked{}),
		"update":                 one(memory.UpdatedDoc{}),
		"version":                one(programDoc{}),
		"why":                    one(memory.AccountDoc{}),
	}
}
