package app

import (
	"github.com/alanbuscaglia/engram"
	"github.com/alanbuscaglia/engram/internal/agentcli"
	"github.com/alanbuscaglia/engram/internal/config"
)

// judgeOf returns the judge that c names; nil where it names none.
func judgeOf(c config.Config) engram.Judge {
	if j, known := agentcli.Named(c.AgentCLI); known {
		return j
	}
	return nil
}
