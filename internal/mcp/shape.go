package mcp

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/alanbuscaglia/engram/internal/mcp/tool"
	"github.com/alanbuscaglia/engram/internal/redact"
)

// refused says why a request cannot be worked on; nil when it can. The SDK would answer
// with empty lists for what is not offered. memories says that the server has more than tools (resource.go).
func refused(r *jsonrpc.Request, memories bool) *jsonrpc.Error {
	if family := unoffered(r.Method); family != "" && !(memories && slices.Contains(families(), family)) {
		return &jsonrpc.Error{Code: jsonrpc.CodeMethodNotFound, Message: family + " not supported"}
	}
	return misshapen(r)
}

// unoffered returns the family of a method that a server of tools has none of; "" else. The
// SDK refuses these too, but in other words than clients of the tools know, and before
// any middleware.
func unoffered(method string) string {
	for _, family := range []string{"resources", "prompts", "logging", "completion"} {
		if strings.HasPrefix(method, family+"/") {
			return family
		}
	}
	return ""
}

// misshapen says what is wrong with the parameters of a request; nil when nothing is.
// The SDK would say it in names of its own Go types, with the whole input repeated,
// private parts and all.
func misshapen(r *jsonrpc.Request) *jsonrpc.Error {
	if clean := redact.Private(r.Method); clean != r.Method {
		return &jsonrpc.Error{Code: jsonrpc.CodeMethodNotFound, Message: fmt.Sprintf("method not found: %q", tool.Clip(clean))}
	}
	var into any
	switch r.Method {
	case "initialize":
		into = &mcp.InitializeParams{}
	case "tools/call":
		into = &mcp.CallToolParamsRaw{}
	case "tools/list":
		into = &mcp.ListToolsParams{}
	case "subscriptions/listen":
		into = &mcp.SubscriptionsListenParams{}
	case "resources/list":
		into = &mcp.ListResourcesParams{}
	case "resources/templates/list":
		into = &mcp.ListResourceTemplatesParams{}
	case "resources/read":
		into = &mcp.ReadResourceParams{}
	case "prompts/list":
		into = &mcp.ListPromptsParams{}
	case "prompts/get":
		into = &mcp.GetPromptParams{}
	case "completion/complete":
		into = &mcp.CompleteParams{}
	default:
		into = &map[string]json.RawMessage{}
	}
	if len(r.Params) == 0 || json.Unmarshal(r.Params, into) == nil {
		return nil
	}
	return &jsonrpc.Error{Code: jsonrpc.CodeInvalidParams,
		Message: fmt.Sprintf("the params of %s do not have the form the protocol gives them", tool.Clip(r.Method))}
}
