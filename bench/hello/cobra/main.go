// Command cobra is the floor of a start: a program that parses its flags with cobra and writes one
// line. It does nothing else.
package main

import (
	"fmt"
	"os"

	"github.com/spf13/cobra"
)

func main() {
	c := &cobra.Command{Use: "hello", RunE: func(c *cobra.Command, _ []string) error {
		_, err := fmt.Fprintln(c.OutOrStdout(), "hello")
		return err
	}}
	if c.Execute() != nil {
		os.Exit(1)
	}
}
