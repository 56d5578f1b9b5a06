package cli

import (
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
	conflict := one(conflictShownDoc{})
	return map[string][]answer{
		"":                       one(homeDoc{}),
		"backfill":               one(backfillDoc{}),
		"capture":                one(capturedDoc{}),
		"completion":             nil, // a script for a shell
		"config":                 one(settingsDoc{}),
		"config get":             one(settingDoc{}),
		"config list":            one(settingsDoc{}),
		"config set":             one(setDoc{}),
		"config unset":           one(setDoc{}),
		"conflicts":              nil, // needs a subcommand
		"conflicts deferred":     {{"", deferredDoc{}}, {"--replay", replayedDoc{}}},
		"conflicts ignore":       conflict,
		"conflicts judge":        conflict,
		"conflicts list":         one(conflictsDoc{}),
		"conflicts scan":         one(scannedDoc{}),
		"conflicts show":         conflict,
		"conflicts stats":        one(conflictStatsDoc{}),
		"context":                one(contextDoc{}),
		"decay":                  one(strengthsDoc{}),
		"delete":                 {{"", document.Deleted{}}, {"--query", forgottenDoc{}}},
		"delete project":         one(deletedProjectDoc{}),
		"delete prompt":          one(deletedThingDoc{}),
		"delete session":         one(deletedThingDoc{}),
		"demo":                   one(demoDoc{}),
		"diagnostics":            one(document.Diagnostics{}),
		"doctor":                 {{"", document.Report{}}, {"--fix", fixedDoc{}}},
		"doctor repair":          one(repairedDoc{}),
		"eval":                   one(evalDoc{}),
		"export":                 {{"", exportedDoc{}}, {"--format obsidian", vaultDoc{}}},
		"get":                    one(detailDoc{}),
		"graph":                  one(document.Graph{}),
		"history":                {{"", document.History{}}, {"--version", document.Version{}}, {"--diff", document.Diff{}}},
		"import":                 {{"", importedDoc{}}, {"--format obsidian", vaultImportedDoc{}}},
		"ingest":                 one(ingestedDoc{}),
		"link":                   one(document.Linked{}),
		"list":                   one(listDoc{}),
		"log":                    {{"", document.Log{}}, {"--compact", compactDoc{}}},
		"hook":                   nil,                   // what the agent wants
		"man":                    {{"--dir", manDoc{}}}, // else a manual page
		"mark":                   one(changedDoc{}),
		"mcp":                    nil, // the Model Context Protocol
		"metrics":                one(document.Metrics{}),
		"migrate":                {{"", foundPlacesDoc{}}, {"--data-dir of an earlier Engram", takenOverDoc{}}, {"--from", migratedDoc{}}},
		"obsidian-export":        one(vaultDoc{}),
		"off":                    {{"", switchedDoc{}}, {"--check", askedOffDoc{}}},
		"on":                     one(switchedDoc{}),
		"projects":               one(projectsDoc{}),
		"projects consolidate":   one(consolidateDoc{}),
		"projects decay":         one(document.ProjectDecay{}),
		"projects detect":        one(detectedDoc{}),
		"projects list":          one(projectsDoc{}),
		"projects merge":         one(mergedDoc{}),
		"projects prune":         one(prunedDoc{}),
		"projects rename":        one(mergedDoc{}),
		"prompt":                 nil, // needs a subcommand
		"prompt list":            one(promptsDoc{}),
		"prompt save":            one(promptDoc{}),
		"prompt search":          one(promptsDoc{}),
		"prune":                  one(document.Sleep{}),
		"recall":                 one(recalledDoc{}),
		"recent":                 one(listDoc{}),
		"reembed":                one(reembeddedDoc{}),
		"restart":                one(startedDoc{}),
		"restore":                one(document.Memory{}),
		"review":                 one(reviewQueueDoc{}),
		"review approve":         one(reviewDecidedDoc{}),
		"review done":            one(reviewedDoc{}),
		"review list":            one(reviewQueueDoc{}),
		"review refuse":          one(reviewDecidedDoc{}),
		"review show":            one(reviewShownDoc{}),
		"review snooze":          one(reviewedDoc{}),
		"save":                   one(document.Saved{}),
		"search":                 one(foundDoc{}),
		"serve":                  one(servingDoc{}),
		"session":                nil, // needs a subcommand
		"session end":            one(sessionDoc{}),
		"session list":           one(sessionsDoc{}),
		"session show":           one(sessionShownDoc{}),
		"session start":          one(sessionDoc{}),
		"session summary":        one(document.Saved{}),
		"setup":                  one(setupDoc{}),
		"setup service":          one(serviceDoc{}),
		"setup status":           one(setupDoc{}),
		"sleep":                  one(document.Sleep{}),
		"start":                  one(startedDoc{}),
		"stats":                  one(statsDoc{}),
		"status":                 one(statusDoc{}),
		"stop":                   one(stoppedDoc{}),
		"sync":                   {{"", pushedDoc{}}, {"--import", pulledDoc{}}, {"--status", syncStatusDoc{}}},
		"sync accept":            one(decidedDoc{}),
		"sync deferred":          one(queueDoc{}),
		"sync drop":              one(decidedDoc{}),
		"sync keygen":            one(keyDoc{}),
		"sync recipients":        one(recipientsDoc{}),
		"sync recipients add":    one(recipientsDoc{}),
		"sync recipients remove": one(recipientsDoc{}),
		"sync recipients trust":  one(recipientsDoc{}),
		"tag":                    one(changedDoc{}),
		"timeline":               one(timelineDoc{}),
		"topic":                  one(topicDoc{}),
		"undo":                   {{"", document.Undone{}}, {"FIRST..LAST", undoneRangeDoc{}}},
		"unlink":                 one(document.Unlinked{}),
		"update":                 one(updatedDoc{}),
		"version":                one(programDoc{}),
		"why":                    one(accountDoc{}),
	}
}
