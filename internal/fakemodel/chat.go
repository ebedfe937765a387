package fakemodel

import (
	"encoding/json"
	"fmt"
	"maps"
	"strings"
)

// chat is the Chat Completions protocol, which every agent uses that accepts a custom provider.
var chat = dialect{
	name: "chat",
	asks: func(path string) (string, bool) {
		return "", strings.HasSuffix(path, "/chat/completions")
	},
	read:    readChat,
	events:  chatEvents,
	whole:   chatWhole,
	refuse:  func(r *Refusal) any { return openAIError(r) },
	trouble: func(r *Refusal) event { return event{"", openAIError(r)} },
}

func readChat(raw []byte) (*request, error) {
	var b struct {
		Model    string `json:"model"`
		Stream   bool   `json:"stream"`
		Messages []struct {
			Role    string            `json:"role"`
			Content json.RawMessage   `json:"content"`
			Calls   []json.RawMessage `json:"tool_calls"`
		} `json:"messages"`
		Tools []struct {
			Function struct {
				Name   string `json:"name"`
				Schema tool   `json:"parameters"`
			} `json:"function"`
		} `json:"tools"`
		Format struct {
			Schema struct {
				Schema json.RawMessage `json:"schema"`
			} `json:"json_schema"`
		} `json:"response_format"`
	}
	if err := json.Unmarshal(raw, &b); err != nil {
		return nil, fmt.Errorf("no Chat Completions request: %w", err)
	}
	r := &request{
		model: b.Model, stream: b.Stream, tools: make(map[string]tool),
		schema: b.Format.Schema.Schema, raw: raw,
	}
	for _, t := range b.Tools {
		r.tools[t.Function.Name] = t.Function.Schema
	}
	var all []speech
	for _, m := range b.Messages {
		s := speech{model: m.Role == "assistant", calls: len(m.Calls)}
		if m.Role != "tool" {
			s.text = text(m.Content)
		}
		all = append(all, s)
	}
	r.listen(all)
	return r, nil
}

func chatUsage(a *answer) object {
	return object{
		"prompt_tokens": a.usage.In, "completion_tokens": a.usage.Out, "total_tokens": a.usage.In +
			a.usage.Out,
		"prompt_tokens_details": object{"cached_tokens": a.usage.Cached},
	}
}

func chatReason(a *answer) string {
	switch {
	case a.cut:
		return "length"
	case a.filtered:
		return "content_filter"
	case len(a.uses) > 0:
		return "tool_calls"
	}
	return "stop"
}

// chatCall is a call. Its index ties the deltas together, its id the result to it.
func chatCall(i int, u use) object {
	return object{
		"index": i, "id": u.id, "type": "function",
		"function": object{"name": u.name, "arguments": u.arguments()},
	}
}

func chatEvents(r *request, a *answer) (says, ends []event) {
	chunk := func(choices []any, more object) event {
		c := object{
			"id": "chatcmpl-" + a.id, "object": "chat.completion.chunk", "created": 1,
			"model": r.model, "choices": choices,
		}
		maps.Copy(c, more)
		return event{"", c}
	}
	delta := func(d object, reason any) event {
		return chunk([]any{object{"index": 0, "delta": d, "finish_reason": reason}}, nil)
	}
	says = append(says, delta(object{"role": "assistant", "content": ""}, nil))
	for _, piece := range pieces(a.text) {
		says = append(says, delta(object{"content": piece}, nil))
	}
	for i, u := range a.uses {
		// The name comes whole and once; the arguments come in pieces.
		call := chatCall(i, u)
		call["function"] = object{"name": u.name, "arguments": ""}
		says = append(says, delta(object{"tool_calls": []any{call}}, nil))
		for _, piece := range pieces(u.arguments()) {
			says = append(says,
				delta(object{"tool_calls": []any{object{
					"index":    i,
					"function": object{"arguments": piece},
				}}}, nil))
		}
	}
	return says, []event{
		delta(object{}, chatReason(a)),
		// asked for by stream_options; those who did not ask pass it over
		chunk([]any{}, object{"usage": chatUsage(a)}),
		{"", "[DONE]"},
	}
}

func chatWhole(r *request, a *answer) any {
	m := object{"role": "assistant", "content": a.text}
	var calls []any
	for i, u := range a.uses {
		calls = append(calls, chatCall(i, u))
	}
	if calls != nil {
		m["tool_calls"] = calls
	}
	return object{
		"id": "chatcmpl-" + a.id, "object": "chat.completion", "created": 1, "model": r.model,
		"usage":   chatUsage(a),
		"choices": []any{object{"index": 0, "message": m, "finish_reason": chatReason(a)}},
	}
}

// openAIError is an error of both protocols of OpenAI's. Agents go by the status, then by type and
// code: that is how they distinguish a temporary limit from an account without money, which have
// the same status.
func openAIError(r *Refusal) object {
	e := object{
		"message": r.Message, "param": nil,
		"type": named(r.Type, r.Status, map[int]string{
			400: "invalid_request_error", 401: "invalid_request_error",
			404: "invalid_request_error", 429: "rate_limit_exceeded",
		}, "server_error"),
	}
	if code := named(r.Code, r.Status,
		map[int]string{401: "invalid_api_key", 404: "model_not_found", 429: "rate_limit_exceeded"},
		""); code != "" {
		e["code"] = code
	}
	maps.Copy(e, r.Fields)
	return object{"error": e}
}
