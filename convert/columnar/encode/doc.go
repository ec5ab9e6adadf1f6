// Package encode writes batches of table rows as Parquet, Arrow, CSV or JSON.
package encode
