package cli

import (
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/alanbuscaglia/engram/internal/text"
)

// oldWords are words that other programs, and older designs of this one, have for a
// command: who types one is told what it is called here. A word whose command is not in
// the tree says nothing.
func oldWords() map[string]string {
	return map[string]string{
		"ls": "list", "all": "list", "memories": "list", "observations": "list", "last": "recent", "latest": "recent",
		"rm": "delete", "remove": "delete", "erase": "delete", "del": "delete",
		"new": "save", "create": "save", "put": "save", "note": "save", "observe": "save", "memorize": "save", "write": "save",
		"edit": "update", "set": "update", "change": "update", "revise": "update",
		"find": "search", "grep": "search", "ask": "search", "lookup": "search", "focus": "recall", "foa": "recall",
		"read": "get", "view": "get", "cat": "get", "open": "get", "detail": "get",
		"pin": "mark", "permanent": "mark", "relate": "link", "connect": "link", "relations": "graph", "tags": "tag",
		"revisions": "history", "versions": "history", "diff": "history", "journal": "log", "revert": "undo", "rollback": "undo",
		"consolidate": "sleep", "clean": "prune", "gc": "prune", "duplicates": "diagnostics", "weakest": "diagnostics",
		"batch": "ingest", "learn": "capture", "passive": "capture", "summary": "session summary", "summarize": "session summary",
		"merge": "projects merge", "rename": "projects rename", "detect": "projects detect", "judge": "conflicts judge",
		"contradictions": "conflicts", "scan": "conflicts scan", "compare": "conflicts judge", "due": "review", "suggest": "topic",
		"check": "doctor", "health": "doctor", "repair": "doctor", "fix": "doctor", "server": "serve", "http": "serve", "daemon": "start", "up": "start",
		"down": "stop", "embed": "reembed", "reindex": "reembed", "dump": "export", "backup": "export", "load": "import",
		"restore-backup": "import", "install": "setup", "init": "setup", "settings": "config", "env": "config", "man-page": "man",
		"disable": "off", "pause": "off", "mute": "off", "enable": "on", "resume": "on", "unmute": "on",
		"usage": "stats", "count": "stats", "info": "stats", "benchmark": "eval",
	}
}

// oldFlags are the same for flags: what is to be written now.
func oldFlags() map[string]string {
	return map[string]string{
		"category": "--type", "kind": "--type", "top": "--limit", "top-k": "--limit", "k": "--limit", "n": "--limit", "count": "--limit",
		"max": "--limit", "size": "--limit", "skip": "--offset", "semantic": "--mode semantic", "fts": "--mode fts", "hybrid": "--mode hybrid",
		"keyword": "--mode fts", "vector": "--mode semantic", "min-relevance": "--min-strength", "all": "--all-projects",
		"everywhere": "--all-projects", "metadata-filter": "--metadata", "meta": "--metadata", "depth": "--hops", "from": "--since",
		"after": "--since", "before": "--until", "to": "--until", "at": "--as-of", "force": "--yes", "y": "--yes", "assume-yes": "--yes",
		"dry": "--dry-run", "simulate": "--dry-run", "preview": "--dry-run", "permanently": "--hard", "purge": "--hard",
		"topic-key": "--topic", "key": "--topic", "session-id": "--session", "project-id": "--project", "dir": "--data-dir",
		"db": "--data-dir", "database": "--data-dir", "max-tokens": "--budget", "tokens": "--budget", "why": "--explain",
		"weight": "--importance", "priority": "--importance", "keep": "--permanent", "no-color": "--color=never", "no-colour": "--color=never",
		"colour": "--color", "output": "--json", "format": "--json", "pretty": "--json",
	}
}

// nearestCommand is the command below cmd that a word was meant to be, "" for none.
func nearestCommand(cmd *cobra.Command, word string) string {
	word = strings.ToLower(word)
	if meant, old := oldWords()[word]; old && cmd == cmd.Root() && exists(cmd, strings.Fields(meant)) {
		return meant
	}
	var names []string
	for _, c := range cmd.Commands() {
		if !c.Hidden {
			names = append(append(names, c.Name()), c.Aliases...)
		}
	}
	near := text.Nearest(word, names)
	// Of two letters in three nothing is left that would have been meant.
	if len(word) < 4 && text.Distance(word, near) > 1 && !strings.HasPrefix(near, word) {
		return ""
	}
	return near
}

// exists reports whether there is a command at a path below root, by its own names.
func exists(root *cobra.Command, path []string) bool {
	for _, name := range path {
		at := slices.IndexFunc(root.Commands(), func(c *cobra.Command) bool { return c.Name() == name })
		if at < 0 {
			return false
		}
		root = root.Commands()[at]
	}
	return true
}

// nearestFlag is what to write for a flag that cmd does not have, "" for nothing near.
func nearestFlag(cmd *cobra.Command, name string) string {
	flag := func(s string) string {
		return strings.TrimLeft(strings.FieldsFunc(s, func(r rune) bool { return r == ' ' || r == '=' })[0], "-")
	}
	if meant := oldFlags()[name]; meant != "" && cmd.Flags().Lookup(flag(meant)) != nil {
		return meant
	}
	var names []string
	cmd.Flags().VisitAll(func(f *pflag.Flag) {
		if !f.Hidden {
			names = append(names, f.Name)
		}
	})
	if near := text.Nearest(name, names); near != "" {
		return "--" + near
	}
	return ""
}
