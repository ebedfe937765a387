// Command lipgloss is the floor of a start with screens: a program that parses its flags with cobra
// and writes one styled line. It does nothing else.
package main

import (
	"fmt"
	"os"

	"charm.land/lipgloss/v2"
	"github.com/spf13/cobra"
)

func main() {
	c := &cobra.Command{Use: "hello", RunE: func(c *cobra.Command, _ []string) error {
		_, err := fmt.Fprintln(c.OutOrStdout(), lipgloss.NewStyle().Bold(true).Render("hello"))
		return err
	}}
	if c.Execute() != nil {
		os.Exit(1)
	}
}
