package config

import (
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/pflag"
)

// Choice is a flag that takes one of a fixed set of words.
type Choice struct {
	Value string
	Words []string
}

// String is the chosen word.
func (c *Choice) String() string { return c.Value }

// Type names the words in help.
func (c *Choice) Type() string { return strings.Join(c.Words, "|") }

// Set accepts one of the words.
func (c *Choice) Set(s string) error {
	if !slices.Contains(c.Words, s) {
		last := len(c.Words) - 1
		return fmt.Errorf("must be %s or %s", strings.Join(c.Words[:last], ", "), c.Words[last])
	}
	c.Value = s
	return nil
}

var _ pflag.Value = (*Choice)(nil)
