package fakemodel

import (
	"encoding/json"
	"fmt"
	"maps"
	"strings"
)

// responses is the Responses protocol, which Codex uses.
var responses = dialect{
	name:   "responses",
	asks:   func(path string) (string, bool) { return "", strings.HasSuffix(path, "/responses") },
	read:   readResponses,
	events: responseEvents,
	whole: func(r *request, a *answer) any {
		return response(r, a, responseItems(a))
	},
	refuse: func(r *Refusal) any { return openAIError(r) },
	trouble: func(r *Refusal) event {
		return event{"response.failed", object{"type": "response.failed", "response": object{
			"id": "resp_fake", "status": "failed",
			"error": object{
				"code":    named(r.Code, r.Status, nil, "server_is_overloaded"),
				"message": r.Message,
			},
		}}}
	},
}

// offered is a tool: a function, one without a form, or a bundle of these.
type offered struct {
	Type   string    `json:"type"`
	Name   string    `json:"name"`
	Schema tool      `json:"parameters"`
	Tools  []offered `json:"tools"`
}

func (o offered) into(tools map[string]tool) {
	for _, inner := range o.Tools {
		inner.into(tools)
	}
	if o.Name != "" && o.Tools == nil {
		o.Schema.freeform = o.Type == "custom"
		tools[o.Name] = o.Schema
	}
}

func readResponses(raw []byte) (*request, error) {
	var b struct {
		Model  string `json:"model"`
		Stream bool   `json:"stream"`
		Input  []struct {
			Type    string          `json:"type"`
			Role    string          `json:"role"`
			Content json.RawMessage `json:"content"`
		} `json:"input"`
		Tools []offered `json:"tools"`
		Text  struct {
			Format struct {
				Schema json.RawMessage `json:"schema"`
			} `json:"format"`
		} `json:"text"`
	}
	if err := json.Unmarshal(raw, &b); err != nil {
		return nil, fmt.Errorf("no Responses request: %w", err)
	}
	r := &request{
		model: b.Model, stream: b.Stream, tools: make(map[string]tool),
		schema: b.Text.Format.Schema, raw: raw,
	}
	for _, t := range b.Tools {
		t.into(r.tools)
	}
	var all []speech
	for _, item := range b.Input {
		switch item.Type {
		case "function_call", "custom_tool_call":
			all = append(all, speech{model: true, calls: 1})
		case "message", "":
			all = append(all, speech{model: item.Role == "assistant", text: text(item.Content)})
		case "reasoning": // neither side's turn
		default: // output of a tool
			all = append(all, speech{})
		}
	}
	r.listen(all)
	return r, nil
}

// responseItems are an answer's parts, each an item of its own.
func responseItems(a *answer) []object {
	var all []object
	if a.text != "" {
		all = append(all, object{
			"type": "message", "id": "msg_" + a.id, "role": "assistant", "status": "completed",
			"content": []any{object{"type": "output_text", "text": a.text, "annotations": []any{}}},
		})
	}
	for _, u := range a.uses {
		item := object{
			"type": "function_call", "id": "fc_" + u.id, "call_id": u.id, "name": u.name,
			"status": "completed",
		}
		if u.input != "" {
			item["type"], item["id"], item["input"] = "custom_tool_call", "ctc_"+u.id, u.input
		} else {
			item["arguments"] = u.arguments()
		}
		all = append(all, item)
	}
	return all
}

// response is an answer's frame. One that was cut off is incomplete, and says why in a place of its
// own.
func response(r *request, a *answer, items []object) object {
	o := object{
		"id": "resp_" + a.id, "object": "response", "created_at": 1, "status": "completed",
		"model": r.model, "output": items,
		"usage": object{
			"input_tokens":          a.usage.In,
			"input_tokens_details":  object{"cached_tokens": a.usage.Cached},
			"output_tokens":         a.usage.Out,
			"output_tokens_details": object{"reasoning_tokens": 0},
			"total_tokens":          a.usage.In + a.usage.Out,
		},
	}
	if a.cut {
		o["status"], o["incomplete_details"] = "incomplete", object{"reason": "max_output_tokens"}
	}
	if a.filtered {
		o["status"], o["incomplete_details"] = "incomplete", object{"reason": "content_filter"}
	}
	return o
}

func responseEvents(r *request, a *answer) (says, ends []event) {
	n := 0
	add := func(kind string, fields object) event {
		fields["type"], fields["sequence_number"] = kind, n
		n++
		return event{kind, fields}
	}
	items := responseItems(a)
	says = append(says,
		add("response.created",
			object{"response": object{
				"id": "resp_" + a.id, "object": "response",
				"status": "in_progress", "model": r.model,
			}}))
	for i, item := range items {
		if item["type"] == "message" {
			// Codex takes deltas only of an item that was announced.
			begun := maps.Clone(item)
			begun["content"], begun["status"] = []any{}, "in_progress"
			says = append(says,
				add("response.output_item.added", object{"output_index": i, "item": begun}))
			for _, piece := range pieces(a.text) {
				says = append(says,
					add("response.output_text.delta",
						object{
							"item_id": item["id"], "output_index": i, "content_index": 0,
							"delta": piece,
						}))
			}
		}
		// The finished item is what counts: a call is made of it, its deltas may be left out.
		says = append(says,
			add("response.output_item.done", object{"output_index": i, "item": item}))
	}
	whole := response(r, a, items)
	return says, []event{add(fmt.Sprintf("response.%s", whole["status"]),
		object{"response": whole})}
}
