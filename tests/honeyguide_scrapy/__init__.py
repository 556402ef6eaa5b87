"""Tests of honeyguide.scrapy. A folder named scrapy would hide Scrapy itself."""
