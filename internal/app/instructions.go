package app

import (
	"github.com/alanbuscaglia/engram/internal/mcp"
	"github.com/alanbuscaglia/engram/plugin"
)

// instructions are what MCP servers tell models: the memory protocol.
func instructions() mcp.Instructions {
	return mcp.Instructions{
		Agent:  plugin.Protocol(plugin.Server),
		Core:   plugin.Protocol(plugin.Core),
		Memory: plugin.Protocol(plugin.Memory),
		Recall: plugin.Protocol(plugin.Recall),
		Any:    plugin.Protocol(plugin.Any),
	}
}
