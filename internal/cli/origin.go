package cli

import (
	"strings"

	"github.com/spf13/cobra"

	"github.com/alanbuscaglia/engram"
)

// originFlag lets a script say that it writes for an agent: what a person types is trusted,
// and what an agent has typed must not pass for that.
func originFlag(cmd *cobra.Command, into *string) {
	cmd.Flags().StringVar(into, "origin", "", "`origin`: human, agent or tool (default human)")
}

// originOf reads the value of --origin.
func originOf(s string) (engram.Origin, error) {
	switch o := engram.Origin(strings.ToLower(strings.TrimSpace(s))); o {
	case "":
		return engram.OriginHuman, nil
	case engram.OriginHuman, engram.OriginAgent, engram.OriginTool:
		return o, nil
	}
	return "", invalidf("unknown origin %q", s).WithHint("human, agent or tool")
}
